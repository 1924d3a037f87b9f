import { readFile, stat, statfs } from 'node:fs/promises';
import { answeredInTime, type Finding } from '@postern/service-host/findings';

/** A file system with less free than both is a problem; one with less than the second pair is full for a database. */
const WARNING = { share: 0.1, bytes: 5e9 } as const;
const BAD = { share: 0.05, bytes: 1e9 } as const;
/** A network file system can hang. */
const LIMIT_MS = 1_000;

/** File systems that hold no data of programs. */
const OTHER_TYPES =
  /^(proc|sysfs|cgroup2?|devtmpfs|devpts|mqueue|debugfs|tracefs|securityfs|pstore|bpf|configfs|fusectl|hugetlbfs|ramfs|autofs|binfmt_misc|squashfs|nsfs|efivarfs|rpc_pipefs|fuse\..*)$/;

interface Mount {
  readonly path: string;
  readonly type: string;
}

/** The disks of this machine, looked at without NATS and PostgreSQL: both hang when theirs is full. */
export const diskFindings = async (mountsFile = '/proc/self/mounts'): Promise<readonly Finding[]> => {
  const mounts = mountsIn(await readFile(mountsFile, 'utf8').catch(() => 'disk / unknown rw'));
  const found = await Promise.all(
    mounts.map(({ path }) => answeredInTime(`disk ${path}`, LIMIT_MS, () => findingsOf(path))),
  );
  const findings = [...new Map(found.flat().map(finding => [identityOf(finding), finding])).values()];
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

/** The same file system, mounted at several places, is one finding. */
const identityOf = ({ found }: Finding): string => found.replace(/^at .*: (?=device)/, '');

const findingsOf = async (path: string): Promise<Finding[]> => {
  const [{ bavail, blocks, bsize, files, ffree }, { dev }] = await Promise.all([statfs(path), stat(path)]);
  if (blocks === 0) return [];
  const free = { share: bavail / blocks, bytes: bavail * bsize };
  const verdict = verdictOf(free, files > 0 ? ffree / files : 1);
  const found = `at ${path}: device ${dev}, ${Math.round(free.share * 100)} % free (${(free.bytes / 1e9).toFixed(1)} GB)`;
  const finding = { check: 'disk', verdict, found };
  if (verdict === 'good') return [finding];
  return [
    {
      ...finding,
      advice:
        'Free space there. PostgreSQL stops and NATS hangs on a full disk; both continue when there is space again.',
    },
  ];
};

const isBelow = (free: { readonly share: number; readonly bytes: number }, limit: typeof WARNING | typeof BAD) =>
  free.share < limit.share && free.bytes < limit.bytes;

const verdictOf = (
  free: { readonly share: number; readonly bytes: number },
  freeInodes: number,
): Finding['verdict'] => {
  if (isBelow(free, BAD) || freeInodes < 0.01) return 'bad';
  return isBelow(free, WARNING) ? 'warning' : 'good';
};
