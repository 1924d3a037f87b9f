import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { services } from '../../setup/services.mjs';
import { codeOwners } from './owners.js';
import { withServiceLevels } from './service-levels.js';
import { SERVICE_LISTS } from './service-lists.js';

const ALERTS = 'observability/prometheus/alerts.yaml';

/** Writes every list of services in shared files from `service.json`, and formats the files. @returns the changed files */
export const writeServices = (root: string): readonly string[] => {
  const known = services(root);
  const texts = new Map<string, string>([['.github/CODEOWNERS', codeOwners(root)]]);
  for (const list of SERVICE_LISTS) {
    const text = texts.get(list.file) ?? readFileSync(join(root, list.file), 'utf8');
    const names = list.names(known);
    const isComplete = isDeepStrictEqual([...list.read(text)].sort(), [...names].sort());
    texts.set(list.file, isComplete ? text : list.write(text, names));
  }
  texts.set(ALERTS, withServiceLevels(texts.get(ALERTS) as string, known));
  const changed = [...texts].filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text);
  for (const [file, text] of changed) writeFileSync(join(root, file), text);
  const formatted = changed.map(([file]) => file).filter(file => /\.(ts|json)$/.test(file));
  if (formatted.length > 0)
    execFileSync(process.execPath, [join(root, 'node_modules/.bin/biome'), 'format', '--write', ...formatted], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  return changed.map(([file]) => file);
};
