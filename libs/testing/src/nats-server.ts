import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { readLines } from './child-processes.js';
import {
  forgetProcess,
  type ParentGuard,
  releaseGuard,
  startParentGuard,
  untilExit,
  watchProcess,
} from './parent-guard.js';
import { waitFor } from './wait-for.js';

/** A program found by `findNatsServer`, with JetStream in `storeDir`. */
export interface NatsOptions {
  program: string;
  port: number;
  storeDir: string;
  /** Further arguments of nats-server, such as `['-c', 'nats.conf']`. */
  args?: string[];
  /** URL for clients; `nats://127.0.0.1:<port>` by default. */
  url?: string;
  /** Log file; `<storeDir>.log` by default. */
  logFile?: string;
  /** Receives log lines; no file is written then. */
  onLogLine?: (line: string) => void;
  /** The guard that ends the server with this process; a new one by default. */
  guard?: ParentGuard;
  /** Deleted after this process has ended without stopping the server. */
  removeDirWithParent?: string;
  /** How long a stop may take before SIGKILL; 10 s by default. */
  stopGraceMs?: number;
}

const STOP_GRACE_MS = 10_000;

/** Starts a NATS server with JetStream on the loopback interface; resolves when it is ready. */
export async function spawnNats(options: NatsOptions): Promise<NatsServer> {
  const guard = options.guard ?? startParentGuard({ removePath: options.removeDirWithParent });
  const server = new NatsServer(options, guard, await launch(options, guard));
  try {
    await server.untilReady();
    return server;
  } catch (error) {
    await server.kill();
    throw error;
  }
}

/** A NATS server that this process started and that ends with it. */
export class NatsServer {
  constructor(
    private readonly options: NatsOptions,
    private readonly guard: ParentGuard,
    private child: ChildProcess,
  ) {}

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get url(): string {
    return this.options.url ?? `nats://127.0.0.1:${this.options.port}`;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when the process has ended for any reason. */
  async exited(): Promise<void> {
    await untilExit(this.child);
  }

  /** Stops the server, with SIGKILL after the time limit. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    if (!this.options.guard) releaseGuard(this.guard);
  }

  /** Kills the server with SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Restarts the server on the same port; `wipe` deletes the storage of JetStream. */
  async restart(options: { wipe?: boolean } = {}): Promise<void> {
    await this.end('SIGTERM');
    if (options.wipe) await rm(this.options.storeDir, { recursive: true, force: true });
    this.child = await launch(this.options, this.guard);
    await this.untilReady();
  }

  /** Waits until the server greets a client with JetStream enabled; rejects with its log if it ended. */
  async untilReady(): Promise<void> {
    const answer = await waitFor(
      async () => (this.isRunning ? (await greetsWithJetStream(this.options.port)) && 'ready' : 'ended'),
      { timeoutMs: 30_000, intervalMs: 20, describe: 'the NATS server to be ready' },
    );
    if (answer === 'ready') return;
    const log = await readFile(logFileOf(this.options), 'utf8').catch(() => '');
    throw new Error(`the NATS server exited during its start:\n${log.slice(-2000)}`);
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    const { child } = this;
    child.kill(signal);
    // A server that hangs or is stopped does not exit on SIGTERM.
    const hard = setTimeout(() => child.kill('SIGKILL'), this.options.stopGraceMs ?? STOP_GRACE_MS);
    await untilExit(child);
    clearTimeout(hard);
  }
}

async function launch(options: NatsOptions, guard: ParentGuard): Promise<ChildProcess> {
  await mkdir(options.storeDir, { recursive: true });
  const log = options.onLogLine ? undefined : await open(logFileOf(options), 'a');
  try {
    const args = [
      '-a',
      '127.0.0.1',
      '-p',
      String(options.port),
      '-js',
      '-sd',
      options.storeDir,
      ...(options.args ?? []),
    ];
    const output = log?.fd ?? 'pipe';
    const child = spawn(options.program, args, { cwd: '/', detached: true, stdio: ['ignore', output, output] });
    child.on('error', () => undefined);
    child.unref();
    if (options.onLogLine) readLines(child, options.onLogLine);
    const { pid } = child;
    if (pid) {
      watchProcess(guard, pid, 'TERM');
      child.once('exit', () => forgetProcess(guard, pid));
    }
    return child;
  } finally {
    await log?.close();
  }
}

const logFileOf = (options: NatsOptions): string => options.logFile ?? `${options.storeDir}.log`;

/** The first line a NATS server sends is `INFO {…}`. */
function greetsWithJetStream(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    let greeting = '';
    const answer = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(2000, () => answer(false));
    socket.on('error', () => answer(false));
    socket.on('close', () => answer(false));
    socket.on('data', chunk => {
      greeting += chunk;
      if (greeting.includes('\r\n')) answer(/"jetstream":\s*true/.test(greeting));
    });
  });
}
