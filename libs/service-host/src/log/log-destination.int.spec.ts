import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

const library = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `work` in a process with a log, once data arrives on its standard input. */
const logging = (work: string): ChildProcess =>
  spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { createLog } from ${JSON.stringify(`${library}/dist/log/service-log.js`)};
       const { log, flush } = createLog('greeter', 'info');
       process.stdin.once('data', async () => { ${work} });`,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );

describe('The log of a process', () => {
  let child: ChildProcess;

  beforeAll(() => {
    execFileSync(process.execPath, [`${library}/../../node_modules/typescript/bin/tsc`, '-b', library]);
  }, 60_000);

  afterEach(() => {
    child.kill('SIGKILL');
  });

  it('does not keep the process from exiting when its reader dies', async () => {
    child = logging(`for (const n of [1, 2, 3]) log.info({ n }, 'A line'); flush(); process.exit(7);`);
    child.stdout!.destroy();
    child.stdin!.write('go');
    await expect(once(child, 'exit')).resolves.toEqual([7, null]);
  });

  it('is written completely before the process exits', async () => {
    child = logging(`for (let n = 1; n <= 20; n += 1) log.info({ n }, 'x'.repeat(1_000)); flush(); process.exit(0);`);
    child.stdin!.write('go');
    const lines = (await text(child.stdout!)).trim().split('\n');
    expect(lines.map(line => JSON.parse(line).n)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('waits for a slow reader, drops lines above its limit and reports their number', async () => {
    const many = 20_000;
    child = logging(`
      for (let n = 1; n <= ${many}; n += 1) log.info({ n }, 'x'.repeat(1_000));
      process.stderr.write('logged');
      process.stdin.once('data', () => log.info({ n: 0 }, 'afterwards'));`);
    child.stdin!.write('go');
    await once(child.stderr!, 'data');
    let read = 0;
    let lost = 0;
    let hasContinued = false;
    for await (const line of createInterface({ input: child.stdout! })) {
      const entry = JSON.parse(line) as { n?: number; lost?: number };
      if (entry.n === 0) break;
      if (entry.n) read += 1;
      lost += entry.lost ?? 0;
      // All lines within the limit have been read: the next line reports the number of lost lines.
      if (read > 12_000 && !hasContinued) {
        hasContinued = true;
        child.stdin!.write('on');
      }
    }
    expect(lost).toBeGreaterThan(0);
    expect(read + lost).toBe(many);
  });
});
