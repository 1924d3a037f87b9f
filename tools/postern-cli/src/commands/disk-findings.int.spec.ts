import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diskFindings, mountsIn } from './disk-findings.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-disks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the disks of this machine', () => {
  it('are read from the list of mounts, without file systems of the kernel and read-only ones', () => {
    const text = [
      'proc /proc proc rw,nosuid 0 0',
      '/dev/sda1 / ext4 rw,relatime 0 0',
      '/dev/sdb1 /mnt/my\\040disk xfs rw 0 0',
      '/dev/sr0 /media/cd iso9660 ro 0 0',
      'overlay /var/lib/x overlay rw,lowerdir=/a 0 0',
      'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0',
      '',
    ].join('\n');
    expect(mountsIn(text).map(({ path }) => path)).toEqual(['/', '/mnt/my disk', '/var/lib/x']);
  });

  it('are one finding while all have space', async () => {
    const mounts = join(folder, 'mounts');
    await writeFile(mounts, `disk ${folder} ext4 rw 0 0\ndisk ${folder} ext4 rw 0 0\n`);
    const findings = await diskFindings(mounts);
    expect(findings).toHaveLength(1);
  });

  it('that are full are named, by a mount of this namespace alone', async () => {
    const script = `
      import { diskFindings } from ${JSON.stringify(new URL('../../dist/commands/disk-findings.js', import.meta.url).href)};
      console.log(JSON.stringify(await diskFindings()));`;
    const file = join(folder, 'look.mjs');
    await writeFile(file, script);
    const full = join(folder, 'full');
    const commands = `mkdir ${full} && mount -t tmpfs -o size=4m disk ${full} &&
      { dd if=/dev/zero of=${full}/filler bs=1M 2>/dev/null; ${process.execPath} ${file}; }`;
    const { stdout } = await promisify(execFile)('unshare', [
      '--user',
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      commands,
    ]);
    const findings = JSON.parse(stdout) as { found: string; verdict: string; advice: string }[];
    const ours = findings.find(({ found }) => found.includes(full));
    expect(ours).toMatchObject({ verdict: 'bad', found: expect.stringContaining('0 % free') });
    expect(ours?.advice).toContain('Free space there');
  });

  it('whose mount is gone say so', async () => {
    const mounts = join(folder, 'gone');
    await writeFile(mounts, `disk ${join(folder, 'absent')} nfs4 rw 0 0\n`);
    expect(await diskFindings(mounts)).toMatchObject([{ verdict: 'bad', found: expect.stringContaining('ENOENT') }]);
  });
});
