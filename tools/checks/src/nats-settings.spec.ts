import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = [
  'k8s/charts/postern/templates/nats.yaml',
  'tools/local-start/src/start-servers.ts',
  'tools/one-server/src/rendering/server-files.ts',
];
const NAMES = ['max_payload', 'max_pending', 'max_connections', 'ping_interval', 'ping_max'];

const settingsIn = (file: string): Record<string, string | undefined> => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Object.fromEntries(NAMES.map(name => [name, new RegExp(`${name}: "?(\\w+)`).exec(text)?.[1]]));
};

it.each(FILES)('%s gives NATS the same limits as an installation on one server', file => {
  expect(Object.values(settingsIn(file))).not.toContain(undefined);
  expect(settingsIn(file)).toEqual(settingsIn('tools/one-server/src/rendering/server-files.ts'));
});
