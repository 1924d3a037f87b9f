import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { diskFindings, mountsIn } from './disk-findings.js';

let folder: string;
/** A mount whose folder does not exist. */
const gone = () => `disk ${join(folder, 'absent')} nfs4 rw 0 0\n`;

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
    const mounts = `disk ${folder} ext4 rw 0 0\ndisk ${folder} ext4 rw 0 0\n`;
    expect(await diskFindings(async () => mounts)).toHaveLength(1);
  });

  it('that are full are named', async () => {
    const full = join(folder, 'full');
    const { findings } = await findingsAfter(
      `mkdir ${full} && mount -t tmpfs -o size=4m disk ${full} && ! dd if=/dev/zero of=${full}/filler bs=1M 2>/dev/null`,
    );
    const ours = findings.find(({ found }) => found.includes(full));
    expect(ours).toMatchObject({ verdict: 'bad', found: expect.stringContaining('0 % free') });
    expect(ours?.advice).toContain('Free space there');
  });

  it('that hang are named within 5 s, and the process that looked at them ends', async () => {
    const hung = Array.from({ length: 6 }, (_, n) => join(folder, `hung-${n}`));
    // A file system in user space whose server never answers.
    const mounts = hung.map(
      (path, n) =>
        `exec ${n + 3}<>/dev/fuse && mkdir ${path} && mount -i -t fuse -o fd=${n + 3},rootmode=40000,user_id=0,group_id=0 h${n} ${path}`,
    );
    const { findings, seconds } = await findingsAfter(mounts.map(mount => `{ ${mount}; }`).join(' && '));
    for (const path of hung)
      expect(findings).toContainEqual({
        check: 'disk',
        verdict: 'bad',
        found: `at ${path}: the file system did not answer within 2 s`,
        advice: expect.any(String),
      });
    expect(seconds).toBeLessThan(5);
  });

  it('whose mount is gone say so', async () => {
    expect(await diskFindings(async () => gone())).toMatchObject([
      { verdict: 'bad', found: expect.stringContaining('No such file or directory') },
    ]);
  });

  it('that are unmounted meanwhile, as those of builds, are no finding', async () => {
    const lists = [gone(), ''];
    expect(await diskFindings(async () => lists.shift()!)).toMatchObject([{ check: 'disks', verdict: 'good' }]);
  });
});

interface Found {
  readonly findings: readonly { readonly found: string; readonly verdict: string; readonly advice?: string }[];
  readonly seconds: number;
}

/** What a process finds in mounts of its own, after shell commands, and how long it took. */
const findingsAfter = async (commands: string): Promise<Found> => {
  const script = `
    import { diskFindings } from ${JSON.stringify(new URL('../../dist/administration/disk-findings.js', import.meta.url).href)};
    console.log(JSON.stringify(await diskFindings()));`;
  const file = join(folder, 'look.mjs');
  await writeFile(file, script);
  const measured = `${commands} && began=$(date +%s%N) && ${process.execPath} ${file} && echo $((($(date +%s%N) - began) / 1000000))`;
  const own = ['--user', '--map-root-user', '--mount', 'bash', '-c', measured];
  const { stdout } = await promisify(execFile)('unshare', own, { timeout: 20_000, killSignal: 'SIGKILL' });
  const [findings = '[]', milliseconds] = stdout.split('\n');
  return { findings: JSON.parse(findings), seconds: Number(milliseconds) / 1_000 };
};
