import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { image, mountTable } from '../namespaces/sandbox-mounts.js';
import { filesFor, levelAt } from './area-level.js';
import { DiskImages } from './disk-images.js';

const run = promisify(execFile);
const MIB = 2 ** 20;

(process.getuid?.() === 0 ? describe : describe.skip)('An image of a disk', () => {
  let home: string;
  let images: DiskImages;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-images-'));
    const found = await DiskImages.find(home);
    if (!found) throw new Error('this machine cannot mount images');
    images = found;
    await mkdir(join(home, 'content'));
  });
  afterEach(async () => {
    await images.unmount(join(home, 'mounted'));
    await rm(home, { recursive: true, force: true });
  });

  const path = () => join(home, 'disk.img');
  const at = () => join(home, 'mounted');
  const make = (bytes: number, isKept: boolean) =>
    images.make({ path: path(), content: join(home, 'content'), bytes, isKept });
  const free = async () => {
    const { stdout } = await run('df', ['--output=avail,iavail', '--block-size=1', at()]);
    const [bytes = 0, files = 0] = stdout.trim().split('\n')[1]!.trim().split(/\s+/).map(Number);
    return { bytes, files };
  };

  it.each([
    [1, false],
    [64, false],
    [64, true],
    [2_048, false],
    [10_240, true],
  ])(
    'of %i MiB (kept: %s) can hold that much and hardly more, and occupies little in the beginning',
    async (mib, isKept) => {
      await make(mib * MIB, isKept);
      // Most of it is the journal.
      expect((await stat(path())).blocks * 512).toBeLessThan(isKept ? 70 * MIB : 2 * MIB);
      await images.mount(path(), at());
      const { bytes, files } = await free();
      expect(bytes).toBeGreaterThanOrEqual(mib * MIB);
      expect(bytes).toBeLessThan(mib * MIB * 1.05 + 24 * MIB);
      expect(files).toBeGreaterThanOrEqual(filesFor(mib * MIB) * 0.9);
    },
  );

  it('grows with its files, also when it was not unmounted', async () => {
    await writeFile(join(home, 'content/text'), 'kept');
    await make(32 * MIB, true);
    await images.mount(path(), at());
    await writeFile(join(at(), 'more'), 'also kept');
    await run('sync', ['--file-system', at()]);
    await run('cp', [path(), `${path()}.crashed`]);
    await images.unmount(at());
    await run('mv', [`${path()}.crashed`, path()]);
    await images.prepare(path(), 256 * MIB);
    await images.mount(path(), at());
    expect((await free()).bytes).toBeGreaterThanOrEqual(250 * MIB);
    expect(await readFile(join(at(), 'text'), 'utf8')).toBe('kept');
    expect(await readFile(join(at(), 'more'), 'utf8')).toBe('also kept');
  });

  it('is not repaired or enlarged while a sandbox uses it', async () => {
    await make(8 * MIB, true);
    await images.mount(path(), at());
    const preparing = images.prepare(path(), 64 * MIB);
    const first = await Promise.race([preparing.then(() => 'prepared'), new Promise(r => setTimeout(r, 500, 'waits'))]);
    expect(first).toBe('waits');
    await images.unmount(at());
    await preparing;
  });

  it('is full at its limit of bytes or of files', async () => {
    await make(16 * MIB, false);
    await images.mount(path(), at());
    expect(await levelAt(at())).toMatchObject({ isFull: false, isNearlyFull: false });
    await expect(writeFile(join(at(), 'large'), Buffer.alloc(20 * MIB))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await levelAt(at())).toMatchObject({ isFull: true, of: 'bytes' });
    await rm(join(at(), 'large'));
    let made = 0;
    const fill = async () => {
      for (; made < 10_000; made += 1) await writeFile(join(at(), `n${made}`), '');
    };
    await expect(fill()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(made).toBeLessThanOrEqual(filesFor(16 * MIB));
    expect(await levelAt(at())).toMatchObject({ isFull: true, of: 'files' });
  });

  it('ends with the processes that it was mounted for, also when they were killed', async () => {
    await make(8 * MIB, false);
    await mkdir(at());
    const table = join(home, 'table');
    const frame = join(home, 'content');
    await writeFile(table, mountTable(frame, frame, [], [image({ path: path(), folder: at() })]));
    const script = `mount --all --fstab ${table} && echo $$ > ${home}/pid && exec sleep 60`;
    const running = run('unshare', ['--mount', '--', 'sh', '-c', script]).catch(() => {});
    const pid = Number(await waitFor(async () => (await readFile(join(home, 'pid'), 'utf8')).trim()));
    const devices = async () => (await run('losetup', ['--noheadings', '--associated', path()])).stdout;
    expect(await devices()).not.toBe('');
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(home);
    process.kill(pid, 'SIGKILL');
    await running;
    await waitFor(async () => (await devices()) === '');
  });

  it('can be mounted in many sandboxes at the same time', async () => {
    const names = Array.from({ length: 12 }, (_, n) => String(n));
    await Promise.all(
      names.map(async name => {
        const folder = join(home, name);
        await mkdir(folder);
        await images.make({ path: `${folder}.img`, content: folder, bytes: 4 * MIB, isKept: false });
        await images.mount(`${folder}.img`, folder);
        await writeFile(join(folder, 'name'), name);
      }),
    );
    for (const name of names) {
      expect(await readFile(join(home, name, 'name'), 'utf8')).toBe(name);
      await images.unmount(join(home, name));
    }
  });
});
