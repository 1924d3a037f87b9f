import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How a program runs as another user: directly, or through setpriv if that user cannot access it. */
interface Identity {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid'>;
}

/**
 * If a parent folder of the program or the data is not accessible to the user (an installation below /root), the
 * process keeps only CAP_DAC_READ_SEARCH; the alternative would be to open a home folder for all users.
 */
const asUser = (uid: number | undefined, command: string, args: readonly string[], cwd: string): Identity => {
  if (uid === undefined) return { command, args, options: {} };
  if ([command, cwd].every(path => isReachable(path, uid))) return { command, args, options: { uid, gid: uid } };
  const capability = '-all,+dac_read_search';
  const identity = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs'];
  const capabilities = [`--inh-caps=${capability}`, `--ambient-caps=${capability}`, `--bounding-set=${capability}`];
  return { command: 'setpriv', args: [...identity, ...capabilities, '--', command, ...args], options: {} };
};

const isReachable = (path: string, uid: number): boolean => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { uid: owner, gid, mode } = statSync(folder);
    const passes = owner === uid ? 0o100 : gid === uid ? 0o010 : 0o001;
    if ((mode & passes) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
};

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid: number | undefined;
  readonly cwd: string;
  readonly logFile: string;
}

const ENVIRONMENT = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

/** Starts a server that outlives this process; resolves when it has been started, which may be before it responds. */
export const launchServer = async ({ command, args, uid, cwd, logFile }: Launch): Promise<ChildProcess> => {
  const log = await open(logFile, 'a', 0o600);
  try {
    const identity = asUser(uid, command, args, cwd);
    const child = spawn(identity.command, identity.args, {
      ...identity.options,
      cwd,
      env: ENVIRONMENT(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return child;
  } finally {
    await log.close();
  }
};

const ENDS_WITHIN_MS = 60_000;

/** Runs a program to its end; an error contains the end of its output. */
export const runToEnd = (
  command: string,
  args: readonly string[],
  uid: number | undefined,
  cwd: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const identity = asUser(uid, command, args, cwd);
    const child = spawn(identity.command, identity.args, {
      ...identity.options,
      cwd,
      env: ENVIRONMENT(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ENDS_WITHIN_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const take = (chunk: Buffer) => (output = (output + chunk).slice(-2000));
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: ${output.trim()}`)),
    );
  });

/** Runs a program that reads `input` to its end. */
export const feed = async (
  command: string,
  args: readonly string[],
  uid: number | undefined,
  cwd: string,
  input: Readable,
  signal: AbortSignal,
): Promise<void> => {
  const identity = asUser(uid, command, args, cwd);
  const child = spawn(identity.command, identity.args, {
    ...identity.options,
    cwd,
    env: ENVIRONMENT(),
    stdio: ['pipe', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stderr.on('data', chunk => {
    output = (output + chunk).slice(-2000);
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  const fed = pipeline(input, child.stdin, { signal }).catch((error: Error) => error);
  const code = await ended;
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.trim()}`);
  const error = await fed;
  if (error) throw error;
};

/** A user with an entry in /etc/passwd, which initdb requires; undefined if this process does not run as root. */
export const namedUser = (): number | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(accounts.find(line => line.startsWith(`${name}:`))?.split(':')[2] ?? 0);
    if (uid !== 0) return uid;
  }
  throw new Error('neither the user postgres nor nobody exists, and PostgreSQL does not run as root');
};
