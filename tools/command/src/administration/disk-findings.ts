import { readFile } from 'node:fs/promises';
import { type DiskSpace, diskSpaceOf, type Finding } from '@postern/service-host/findings';

/** A file system with less free than both is a problem; one with less than the second pair is full for a database. */
const WARNING = { share: 0.1, bytes: 5e9 } as const;
const BAD = { share: 0.05, bytes: 1e9 } as const;
/** Share of the files that a file system can still hold. */
const FREE_FILES = 0.01;
/** A network file system can hang; on a busy machine, the start of a program can take a second. */
const LIMIT_MS = 2_000;

/** File systems that hold no data of programs. */
const OTHER_TYPES =
  /^(proc|sysfs|cgroup2?|devtmpfs|devpts|mqueue|debugfs|tracefs|securityfs|pstore|bpf|configfs|fusectl|hugetlbfs|ramfs|autofs|binfmt_misc|squashfs|nsfs|efivarfs|rpc_pipefs|fuse\..*)$/;

interface Mount {
  readonly path: string;
  readonly type: string;
}

/** What was found at one mount. */
interface Place {
  readonly path: string;
  readonly id: string;
  readonly finding: Finding;
}

const readMounts = (): Promise<string> => readFile('/proc/self/mounts', 'utf8').catch(() => 'disk / unknown rw');

/** The disks of this machine, looked at without NATS and PostgreSQL: both hang when theirs is full. */
export const diskFindings = async (mountsNow = readMounts): Promise<readonly Finding[]> => {
  const all = (await Promise.all(mountsIn(await mountsNow()).map(({ path }) => lookAt(path)))).flat();
  // Builds mount and remove file systems all the time.
  const left = new Set(mountsIn(await mountsNow()).map(({ path }) => path));
  const places = all.filter(({ path }) => left.has(path));
  // The same file system, mounted at several places, is one finding.
  const findings = [...new Map(places.map(({ id, finding }) => [id, finding])).values()];
  const problems = findings.filter(({ verdict }) => verdict !== 'good');
  if (problems.length > 0) return problems;
  return [{ check: 'disks', verdict: 'good', found: `${findings.length} file systems have space` }];
};

export const mountsIn = (text: string): readonly Mount[] =>
  text.split('\n').flatMap(line => {
    const [, path = '', type = '', options = ''] = line.split(' ');
    const isWritable = options.split(',').includes('rw');
    return path && isWritable && !OTHER_TYPES.test(type) ? [{ path: unescaped(path), type }] : [];
  });

/** The kernel writes blanks and backslashes of paths as octal numbers. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const lookAt = async (path: string): Promise<Place[]> => {
  try {
    const space = await diskSpaceOf(path, LIMIT_MS);
    return space.blocks === 0 ? [] : [{ path, id: space.id ?? path, finding: findingOf(path, space) }];
  } catch (error) {
    const advice = 'Mount it again, or remove the mount: programs that use it hang or fail.';
    return [
      {
        ...{ path, id: path },
        finding: { check: 'disk', verdict: 'bad', found: `at ${path}: ${(error as Error).message}`, advice },
      },
    ];
  }
};

const findingOf = (path: string, space: DiskSpace): Finding => {
  const verdict = verdictOf(space);
  const free = `${Math.round(space.freeShare * 100)} % free (${(space.freeBytes / 1e9).toFixed(1)} GB)`;
  const files = space.freeFiles < FREE_FILES ? ', and no files can be created' : '';
  const finding = { check: 'disk', verdict, found: `at ${path}: ${free}${files}` };
  if (verdict === 'good') return finding;
  const advice =
    'Free space there. PostgreSQL stops and NATS hangs on a full disk; both continue when there is space again.';
  return { ...finding, advice };
};

const isBelow = ({ freeShare, freeBytes }: DiskSpace, limit: typeof WARNING | typeof BAD) =>
  freeShare < limit.share && freeBytes < limit.bytes;

const verdictOf = (space: DiskSpace): Finding['verdict'] => {
  if (isBelow(space, BAD) || space.freeFiles < FREE_FILES) return 'bad';
  return isBelow(space, WARNING) ? 'warning' : 'good';
};
