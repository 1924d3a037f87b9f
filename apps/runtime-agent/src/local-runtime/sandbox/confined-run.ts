import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfinedPlace } from '../instances/confinement.js';
import { handedEnvironment, TAKE_ENVIRONMENT } from '../instances/handed-environment.js';

export interface ConfinedCommand {
  readonly argv: readonly string[];
  readonly directory: string;
  /** Of our own choosing, for it is there while the command still steps down from our rights. */
  readonly environment: Readonly<Record<string, string>>;
  /** What others chose, which comes over it inside; nothing of the platform's own environment is handed on. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
}

/** The exit code, or the signal that ended it. */
export type Exit = { readonly code: number } | { readonly signal: NodeJS.Signals };

/** Of everything that is run here, and of its session: it yields the processors to what serves visitors. */
export const NICENESS = 10;

const START = `${TAKE_ENVIRONMENT}\nexec "$@"`;
const GRACE_MS = 3_000;
/** For output that is still in the pipes; a child left behind may hold them open for longer. */
const SETTLE_MS = 500;
/** Ordinary users may together set the priority of a session ten times a second. */
const BUSY_MS = 100;

/**
 * Runs a command inside, until it ends or the signal asks it to. What it started in its own group ends with it; the
 * rest is for the place to clear.
 * @throws the signal's reason when that came first.
 */
export const runConfined = async (
  place: Pick<ConfinedPlace, 'enclose'>,
  { argv, directory, environment, variables = {}, onOutput }: ConfinedCommand,
  signal: AbortSignal,
): Promise<Exit> => {
  signal.throwIfAborted();
  const handed = handedEnvironment(variables);
  const [command = '', ...args] = place.enclose(['/bin/sh', '-c', START, 'postern-command', ...argv]);
  const child = spawn(command, args, {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
  child.stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
  const closed = once(child, 'close');
  // Both are awaited below or not at all.
  closed.catch(() => {});
  await once(child, 'spawn');
  // It may end before it has read everything; how it ended says more than the broken pipe.
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
 * Linux shares the processors among sessions first (`sched(7)`, autogroup), and a session starts with the priority of any other, whatever
 * that of its processes is.
 */
const lowerPriorityOfSession = async (pid: number, whileRunning: AbortSignal): Promise<void> => {
  while (!whileRunning.aborted) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(NICENESS));
    } catch (error) {
      // It has ended, or the kernel does not do that.
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
