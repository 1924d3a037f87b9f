import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A range of UIDs that no other user has; they need no entry in /etc/passwd. */
export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/** The large range makes hash collisions unlikely; containers often map only the first 65,536 UIDs. */
const RANGES: readonly UserRange[] = [
  { first: 2 ** 30, count: 2 ** 30 - 1 },
  { first: 20_000, count: 40_000 },
];

/** The preferred UID of a name, derived from its hash. */
export const userOf = (name: string, { first, count }: UserRange): number =>
  first + (createHash('sha256').update(name).digest().readUInt32BE() % count);

/**
 * Disjoint ranges for the users of builds, the users of instances, and the groups of web services. Ending all processes of a user in
 * one range never ends a process of another range.
 */
export const shares = ({ first, count }: UserRange): Record<'builds' | 'instances' | 'groups', UserRange> => {
  const quarter = Math.floor(count / 4);
  return {
    builds: { first, count: 2 * quarter },
    instances: { first: first + 2 * quarter, count: quarter },
    groups: { first: first + 3 * quarter, count: quarter },
  };
};

/** Numbers of UID blocks for user namespaces, 65,536 UIDs each. The first block starts at UID 2^31, above all other ranges. */
export const ROOT_BLOCKS: UserRange = { first: 2 ** 15, count: 2 ** 15 - 1 };

/** Starts a command as this user, without capabilities and without a way to gain privileges. */
export const asUser = (uid: number, argv: readonly string[], gid = uid): readonly string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
  ...argv,
];

/**
 * Finds the UIDs that processes can run as; undefined if Postern does not run as root, or if such a user cannot reach its home or
 * Node.js.
 */
export const findUsers = async (platformHome: string): Promise<UserRange | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  await mkdir(platformHome, { recursive: true });
  // Other users can traverse the folder to reach their own files, but cannot list it.
  await chmod(platformHome, 0o711);
  const logs = join(platformHome, 'logs');
  await mkdir(logs, { recursive: true });
  await chmod(logs, 0o700);
  for (const range of RANGES) {
    const [command = '', ...args] = asUser(range.first, [process.execPath, '-e', 'process.chdir(process.argv[1])']);
    const works = await promisify(execFile)(command, [...args, platformHome], { timeout: 10_000 }).then(
      () => true,
      () => false,
    );
    if (works) return range;
  }
  return undefined;
};
