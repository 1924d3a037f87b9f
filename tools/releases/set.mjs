#!/usr/bin/env node
/**
 * `node tools/releases/set.mjs <version> [published file…]`: writes `published/postern-<version>.json`, the releases that belong
 * together, and values with their images for the postern chart. Refuses releases whose contracts do not fit each other.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPublished, setOf, valuesOf } from './set-file.mjs';
import { fail, ROOT } from './worktree.mjs';

const [version, ...files] = process.argv.slice(2);
if (version === undefined) fail('usage: set.mjs <version> [published file…], such as 0.2.0', 2);

const folder = join(ROOT, 'published');
const releasesIn = () => {
  if (!existsSync(folder)) throw new Error('There is no folder published: publish.mjs writes it for each release.');
  return readdirSync(folder)
    .filter(name => /@.+\.json$/.test(name))
    .map(name => join(folder, name));
};
const temporary = mkdtempSync(join(tmpdir(), 'postern-set-'));
try {
  const set = setOf(ROOT, version, (files.length > 0 ? files : releasesIn()).flatMap(readPublished));
  // Nothing runs in this environment: only the releases are compared with each other.
  const empty = join(temporary, 'empty.json');
  writeFileSync(empty, '{}');
  const names = set.releases.map(release => `${release.service}@${release.version}`);
  execFileSync(process.execPath, ['tools/releases/contracts.mjs', 'can-deploy', ...names, '--to', empty], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  writeFileSync(join(folder, `postern-${version}.json`), `${JSON.stringify(set, null, 2)}\n`);
  writeFileSync(join(folder, `postern-${version}.values.yaml`), valuesOf(set));
  console.log(`postern ${version}: ${names.join(', ')}`);
} catch (error) {
  fail(error.message);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
