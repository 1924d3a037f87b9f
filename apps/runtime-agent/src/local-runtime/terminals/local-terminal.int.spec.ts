import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { LocalTerminal } from './local-terminal.js';

const SIZE = { columns: 100, rows: 30 };
const open: { terminal: LocalTerminal; program: ChildProcess }[] = [];
let abandoned = 0;

afterEach(() => {
  abandoned = 0;
  for (const { terminal, program } of open.splice(0)) {
    terminal.hangUp();
    program.kill('SIGKILL');
  }
});

/** Runs a script in a terminal, and reads what it shows. */
const start = async (script: string, abandonedAfterMs?: number) => {
  const terminal = await LocalTerminal.open(SIZE, () => (abandoned += 1), abandonedAfterMs);
  const { descriptor } = terminal;
  const program = spawn('setsid', ['-c', '/bin/sh', '-c', script], { stdio: [descriptor, descriptor, descriptor] });
  open.push({ terminal, program });
  await once(program, 'spawn');
  await terminal.release(SIZE);
  const exited = once(program, 'exit');
  let [shown, read, written] = ['', 0, 0];
  const readOn = async (waitMs = 5_000) => {
    const { data, isOver } = await terminal.read(read, waitMs);
    shown += Buffer.from(data).toString('latin1');
    read += data.length;
    return isOver;
  };
  return {
    terminal,
    exited,
    readOn,
    shown: () => shown,
    until: async (pattern: RegExp) => {
      while (!pattern.test(shown)) if (await readOn()) throw new Error(`It ended with ${JSON.stringify(shown)}`);
    },
    toTheEnd: async () => {
      while (!(await readOn()));
      return shown;
    },
    type: async (text: string) => {
      written = await terminal.write(written, Buffer.from(text));
    },
  };
};

describe('A terminal', () => {
  it('is the terminal of its command, which reads what is typed and ends it', async () => {
    const cat = await start('test -t 0 && test -t 1 && test -t 2 && cat; echo "ended with $?"; exit 3');
    await cat.type('hello\n');
    // Once as the echo of the terminal, and once from the program.
    await cat.until(/hello\r\nhello\r\n/);
    await cat.type('\x04');
    expect(await cat.toTheEnd()).toMatch(/ended with 0\r\n$/);
    expect(await cat.exited).toEqual([3, null]);
  });

  it('interrupts the program with Ctrl-C, but not the shell', async () => {
    const shell = await start('trap : INT; (echo begun; exec sleep 600); echo "ended with $?"');
    await shell.until(/begun/);
    await shell.type('\x03');
    expect(await shell.toTheEnd()).toContain('ended with 130');
  });

  it('has a size, and tells the program when it changes', async () => {
    const shell = await start('trap "stty size; exit" WINCH; stty size; while :; do sleep 0.05; done');
    await shell.until(/30 100\r\n/);
    shell.terminal.resize({ columns: 132, rows: 43 });
    expect(await shell.toTheEnd()).toBe('30 100\r\n43 132\r\n');
  });

  it('delays a program whose output is not read, and loses none of it', async () => {
    const total = 10 * 2 ** 20;
    const shell = await start(`stty raw; head -c ${total} /dev/zero; echo end`);
    const before = process.memoryUsage().rss;
    await waitFor(async () => (await shell.terminal.read(0, 0)).data.length === 64 * 1024, {
      describe: 'a full buffer',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(8 * 2 ** 20);
    const shown = await shell.toTheEnd();
    expect(shown.length).toBe(total + 'end\n'.length);
    expect(shown.endsWith('\0end\n')).toBe(true);
  });

  it('passes Ctrl-C on while the output waits', async () => {
    const shell = await start('trap "exit 9" INT; yes');
    await waitFor(async () => (await shell.terminal.read(0, 0)).data.length === 64 * 1024, {
      describe: 'a full buffer',
    });
    await shell.terminal.write(0, Buffer.from('\x03'));
    expect(await shell.exited).toEqual([9, null]);
  });

  it('accepts repeated input once, and no input with a gap', async () => {
    const shell = await start('stty -echo; echo ready; cat');
    await shell.until(/ready/);
    const { terminal } = shell;
    expect(await terminal.write(0, Buffer.from('one\n'))).toBe(4);
    expect(await terminal.write(0, Buffer.from('one\n'))).toBe(4);
    expect(await terminal.write(2, Buffer.from('e\ntwo\n'))).toBe(8);
    expect(await terminal.write(100, Buffer.from('lost\n'))).toBe(8);
    await shell.until(/two/);
    expect(shell.shown()).toBe('ready\r\none\r\ntwo\r\n');
  });

  it('returns the same output until the reader has it', async () => {
    const shell = await start('echo one; sleep 600');
    await shell.until(/one\r\n/);
    const second = async () => Buffer.from((await shell.terminal.read(2, 0)).data).toString();
    expect([await second(), await second()]).toEqual(['e\r\n', 'e\r\n']);
    await expect(shell.terminal.read(1, 0)).rejects.toThrow('no output at 1');
    await expect(shell.terminal.read(99, 0)).rejects.toThrow('no output at 99');
  }, 10_000);

  it('ends its programs when it hangs up', async () => {
    const shell = await start('trap "exit 8" HUP; echo begun; sleep 600 & wait');
    await shell.until(/begun/);
    shell.terminal.hangUp();
    expect(await shell.exited).toEqual([8, null]);
    expect((await shell.terminal.read(shell.shown().length, 5_000)).isOver).toBe(true);
  });

  it('is abandoned once nobody reads it, but not while somebody waits for output', async () => {
    const shell = await start('sleep 600', 2_000);
    await shell.readOn(3_000);
    expect(abandoned).toBe(0);
    await waitFor(() => abandoned === 1, { describe: 'the end' });
  });
});
