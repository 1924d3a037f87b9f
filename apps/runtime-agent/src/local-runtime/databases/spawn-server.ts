import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerSandbox } from './server-sandbox.js';

export interface Launch {
  readonly sandbox: ServerSandbox;
  readonly argv: readonly string[];
  readonly logFile: string;
  /** Held by every process of the server. */
  readonly lockFile: string;
}

/** The processes of an earlier server end within this time after its last process that is found by its data folder. */
const EARLIER_ENDS_WITHIN_SECONDS = 5;

const ENVIRONMENT = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

/** Starts a server that outlives this process; resolves when it has been started, which may be before it responds. */
export const launchServer = async ({ sandbox, argv, logFile, lockFile }: Launch): Promise<ChildProcess> => {
  const log = await open(logFile, 'a', 0o600);
  try {
    // Two servers must never write the same data: PostgreSQL cannot detect a server in other namespaces.
    const locked = ['--no-fork', '--wait', String(EARLIER_ENDS_WITHIN_SECONDS), lockFile];
    const child = spawn('flock', [...locked, ...sandbox.wrap(argv)], {
      cwd: sandbox.cwd,
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
export const runToEnd = (sandbox: ServerSandbox, argv: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const [command = '', ...args] = sandbox.wrap(argv);
    const child = spawn(command, args, {
      cwd: sandbox.cwd,
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
      code === 0 ? resolve() : reject(new Error(`${argv[0]} ended with ${code}: ${output.trim()}`)),
    );
  });

/** Runs a program that reads `input` to its end. */
export const feed = async (
  sandbox: ServerSandbox,
  argv: readonly string[],
  input: Readable,
  signal: AbortSignal,
): Promise<void> => {
  const [command = '', ...args] = sandbox.wrap(argv);
  const child = spawn(command, args, {
    cwd: sandbox.cwd,
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
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}: ${output.trim()}`);
  const error = await fed;
  if (error) throw error;
};

/** A user with an entry in /etc/passwd of the machine, which initdb requires outside a sandbox; undefined if this process does not run as root. */
export const namedUser = (): number | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(accounts.find(line => line.startsWith(`${name}:`))?.split(':')[2] ?? 0);
    if (uid !== 0) return uid;
  }
  throw new Error('neither the user postgres nor nobody exists, and PostgreSQL does not run as root');
};
