import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Numbers of users that nobody else has; they need no entry in any list of users. */
export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/** The wide one makes it unlikely that two names share a user; containers often know only the first 65,536. */
const RANGES: readonly UserRange[] = [
  { first: 2 ** 30, count: 2 ** 30 - 1 },
  { first: 20_000, count: 40_000 },
];

/** The user that a name stands for, always the same. */
export const userOf = (name: string, { first, count }: UserRange): number =>
  first + (createHash('sha256').update(name).digest().readUInt32BE() % count);

/**
 * Ranges without a common number: the users of builds, those of instances, and the groups of web services. Ending all
 * processes of one never ends a process of another.
 */
export const shares = ({ first, count }: UserRange): Record<'builds' | 'instances' | 'groups', UserRange> => {
  const quarter = Math.floor(count / 4);
  return {
    builds: { first, count: 2 * quarter },
    instances: { first: first + 2 * quarter, count: quarter },
    groups: { first: first + 3 * quarter, count: quarter },
  };
};

/**
 * Blocks of 65,536 users each for the roots of user namespaces, above all users of the ranges: their first users are from 2^31
 * on.
 */
export const ROOT_BLOCKS: UserRange = { first: 2 ** 15, count: 2 ** 15 - 1 };

/** Starts a command as that user, without any privilege and without a way to get one. */
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
 * The users that processes can be given here: none where we are no root ourselves, or where such a user could not
 * reach the platform's home or Node.js.
 */
export const findUsers = async (platformHome: string): Promise<UserRange | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  await mkdir(platformHome, { recursive: true });
  // Others may go through to what is theirs, and list nothing.
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
