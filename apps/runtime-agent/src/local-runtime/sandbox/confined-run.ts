import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfinedPlace } from '../instances/confinement.js';
import { handedEnvironment, TAKE_ENVIRONMENT } from '../instances/handed-environment.js';

export interface ConfinedCommand {
  readonly argv: readonly string[];
  readonly directory: string;
  /** Only trusted values: they are set before the command drops privileges. */
  readonly environment: Readonly<Record<string, string>>;
  /** Untrusted values that override `environment`, set after privileges are dropped. Postern's own environment is not inherited. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
}

/** The exit code, or the signal that ended the process. */
export type Exit = { readonly code: number } | { readonly signal: NodeJS.Signals };

/** Nice value of confined commands and of their sessions, so that web services get the CPU first. */
const NICENESS = 10;

const START = `${TAKE_ENVIRONMENT}\nexec "$@"`;
const GRACE_MS = 3_000;
/** Time for output that is still in the pipes; a remaining child process can hold them open for longer. */
const SETTLE_MS = 500;
/** The kernel allows all unprivileged users together ten writes to `autogroup` per second. */
const BUSY_MS = 100;

/**
 * Runs a command in the place until it exits or the signal aborts. Its process group ends with it; `place.clear` ends all others.
 * @throws the signal's reason if the signal aborts first.
 */
export const runConfined = async (
  place: Pick<ConfinedPlace, 'wrap'>,
  { argv, directory, environment, variables = {}, onOutput }: ConfinedCommand,
  signal: AbortSignal,
): Promise<Exit> => {
  signal.throwIfAborted();
  const handed = handedEnvironment(variables);
  const wrapped = place.wrap(['/bin/sh', '-c', START, 'postern-command', ...argv]);
  const child = spawn('nice', ['-n', String(NICENESS), ...wrapped], {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
  child.stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
  const closed = once(child, 'close');
  // Prevents an unhandled rejection if the spawn fails before `closed` is awaited.
  closed.catch(() => {});
  await once(child, 'spawn');
  // The command may exit before it reads all of stdin; its exit status is reported instead of the broken pipe.
  child.stdin.on('error', () => {});
  const running = new AbortController();
  void lowerPriorityOfSession(child.pid!, running.signal);
  child.stdin.end(handed);
  const exited = new Promise<Exit>(resolve =>
    child.once('exit', (code, ended) => resolve(code === null ? { signal: ended ?? 'SIGKILL' } : { code })),
  );
  const group = child.pid!;
  const end = () => void endGroup(group, exited);
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) end();
    const exit = await exited;
    signalGroup(group, 'SIGKILL');
    await within(SETTLE_MS, closed);
    signal.throwIfAborted();
    return exit;
  } finally {
    running.abort();
    signal.removeEventListener('abort', end);
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
  }
};

/**
 * Linux divides CPU time among sessions first (`sched(7)`, autogroup). A new session has the default priority, whatever the nice
 * value of its processes is.
 */
const lowerPriorityOfSession = async (pid: number, whileRunning: AbortSignal): Promise<void> => {
  while (!whileRunning.aborted) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(NICENESS));
    } catch (error) {
      // The process has exited, or the kernel has no autogroups.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
    await delay(BUSY_MS, undefined, { signal: whileRunning }).catch(() => {});
  }
};

const endGroup = async (group: number, exited: Promise<unknown>): Promise<void> => {
  signalGroup(group, 'SIGTERM');
  await within(GRACE_MS, exited);
  signalGroup(group, 'SIGKILL');
};

const within = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  const waiting = new AbortController();
  await Promise.race([promise, delay(ms, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
};

const signalGroup = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
