import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';

const library = fileURLToPath(new URL('..', import.meta.url));

/** A process that calls `exitProcess` while its thread pool executes `work`. */
const exiting = (work: string) =>
  spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import fs from 'node:fs';
       import { exitProcess } from ${JSON.stringify(`${library}/dist/exit-process.js`)};
       import { createLog } from ${JSON.stringify(`${library}/dist/log/service-log.js`)};
       ${work};
       exitProcess(createLog('greeter', 'info'), 3);`,
    ],
    { stdio: 'ignore' },
  );

describe('A process that exits', () => {
  let pipe: string;

  beforeAll(() => {
    execFileSync(process.execPath, [`${library}/../../node_modules/typescript/bin/tsc`, '-b', library]);
    pipe = join(mkdtempSync(join(tmpdir(), 'postern-exit-')), 'pipe');
    execFileSync('mkfifo', [pipe]);
  }, 60_000);

  it('waits for a thread that is nearly done, and exits with its code', async () => {
    await expect(once(exiting(`fs.stat('/', () => {})`), 'exit')).resolves.toEqual([3, null]);
  });

  it('does not wait for a thread that is stuck', async () => {
    // Opening a pipe without a writer never returns.
    await expect(once(exiting(`fs.open(${JSON.stringify(pipe)}, 'r', () => {})`), 'exit')).resolves.toEqual([
      null,
      'SIGKILL',
    ]);
  });
});
