import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOrdinaryUser, MAKERS } from './sandbox/network/testing/network-fixture.js';

const ROOT = join(import.meta.dirname, '../../../..');
const CACHES = ['postern-swc', 'jest'].map(name => join(ROOT, 'node_modules/.cache', name));
const WITHIN_MS = 15 * 60_000;

/** Nothing to do where all spec files run as an ordinary user. */
(MAKERS.includes('root') ? describe : describe.skip)('started by an ordinary user, the local runtime', () => {
  let folder: string;

  beforeAll(async () => {
    // Short, because the path of a Unix socket has at most 107 bytes.
    folder = await mkdtemp('/tmp/pst-');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['the contract between neighbours', 'local-runtime/local-runtime.int', 'between neighbours', 10],
    ['the addresses of web services that get networks', 'rolls/survival.int', 'network of the machine', 1],
  ])(
    'keeps %s',
    async (_, path, name, fewest) => {
      const jest = [process.execPath, join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'integration'];
      const specs = ['--roots', 'apps/runtime-agent', '--maxWorkers=1', '--testTimeout=120000', path, '-t', name];
      const [program = '', ...args] = [...(await asOrdinaryUser(folder, CACHES)), ...jest, ...specs];
      const given = Object.entries(process.env).filter(([key]) => key === 'PATH' || key.startsWith('POSTERN_'));
      const env = { ...Object.fromEntries(given), HOME: folder, TMPDIR: folder };
      const output = await new Promise<string>(resolve =>
        execFile(program, args, { cwd: ROOT, env, maxBuffer: 2 ** 26 }, (_error, out, errors) => resolve(out + errors)),
      );
      expect(output).toMatch(/^Test Suites: (\d+ skipped, )?1 passed/m);
      expect(output).not.toMatch(/^Tests: .*failed/m);
      expect(Number(/^Tests: .*?(\d+) passed/m.exec(output)?.[1])).toBeGreaterThanOrEqual(fewest);
    },
    WITHIN_MS,
  );
});
