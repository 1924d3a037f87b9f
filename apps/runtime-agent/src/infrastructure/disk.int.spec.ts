import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unlinkedBytes, usageOf, usedBytes } from './disk.js';

const MIB = 2 ** 20;

describe('The disk usage of a program', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-disk-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('is the size of the files in its folder, and 0 without a folder', async () => {
    await writeFile(join(folder, 'file'), Buffer.alloc(3 * MIB, 1));
    expect(await usedBytes(folder)).toBeGreaterThanOrEqual(3 * MIB);
    expect(await usedBytes(join(folder, 'absent'))).toBe(0);
  });

  it('is measured for each of several folders, of which some do not exist', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second\nline')];
    for (const each of [first, second]) await mkdir(each);
    await writeFile(join(first, 'file'), Buffer.alloc(3 * MIB, 1));
    await writeFile(join(second, 'file'), Buffer.alloc(MIB, 1));
    const sizes = await usageOf([first, join(folder, 'absent'), second]);
    expect([...sizes.keys()]).toEqual([first, second]);
    expect(sizes.get(first)).toBeGreaterThanOrEqual(3 * MIB);
    expect(sizes.get(second)).toBeGreaterThanOrEqual(MIB);
    expect(sizes.get(second)).toBeLessThan(2 * MIB);
  });

  it('is measured even if du reports errors, for example about files that vanish', async () => {
    await writeFile(join(folder, 'file'), Buffer.alloc(3 * MIB, 1));
    const du = join(folder, 'du');
    await writeFile(du, `#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' x >&2\ndu "$@"\nexit 1\n`);
    await chmod(du, 0o755);
    expect((await usageOf([folder], 'bytes', du)).get(folder)).toBeGreaterThanOrEqual(3 * MIB);
  });

  it.each([
    ['open', 'write(fd, Buffer.alloc(5 << 20, 1)); console.log("written"); setInterval(() => fd, 1e6)'],
    [
      'open twice',
      'write(fd, Buffer.alloc(5 << 20, 1)); open("/proc/self/fd/" + fd); console.log("written"); setInterval(() => fd, 1e6)',
    ],
  ])('contains deleted files that are %s', async (_, code) => {
    const script = `const { openSync: open, writeSync: write, unlinkSync } = require('node:fs');
      const fd = open('deleted', 'w+'); unlinkSync('deleted'); ${code}`;
    const child = spawn(process.execPath, ['-e', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout!, 'data');
    const bytes = await unlinkedBytes([child.pid!], folder);
    expect(bytes).toBeGreaterThanOrEqual(5 * MIB);
    expect(bytes).toBeLessThan(6 * MIB);
    expect(await unlinkedBytes([child.pid!], '/proc')).toBe(0);
  });

  it('contains deleted files that are mapped and no longer open', async () => {
    const script = `import mmap, os, sys, time
f = open('deleted', 'w+b'); os.unlink('deleted'); f.truncate(5 << 20)
m = mmap.mmap(f.fileno(), 5 << 20); f.close(); m.write(b'x' * (5 << 20)); m.flush(); print('written', flush=True); time.sleep(1000)`;
    const child = spawn('python3', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout!, 'data');
    expect(await unlinkedBytes([child.pid!], folder)).toBeGreaterThanOrEqual(5 * MIB);
  });
});
