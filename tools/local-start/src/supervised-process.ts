import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const RESTART_DELAYS_MS = [250, 1_000, 2_000, 5_000, 10_000];
/** A process that ran this long before it died is restarted as if it had never failed. */
const STEADY_AFTER_MS = 30_000;

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly readyWithinMs: number;
}

/** What a process of ours prints on its first line of output when it is ready to serve. */
export interface ReadyLine {
  readonly ready: true;
  readonly [detail: string]: unknown;
}

const readyLine = (line: string): ReadyLine | undefined => {
  if (!line.startsWith('{"ready":true')) return undefined;
  try {
    return JSON.parse(line) as ReadyLine;
  } catch {
    return undefined;
  }
};

/**
 * One process of the local start: started, seen to be ready, started again when it dies, and stopped for good.
 * It holds the process's standard input open and the process ends when that closes, so nothing outlives us,
 * not even when we are killed.
 */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private stopping = false;
  private failures = 0;
  private restart: NodeJS.Timeout | undefined;
  private readonly log: WriteStream;

  constructor(
    private readonly spec: ProcessSpec,
    private readonly onChange: (process: SupervisedProcess) => void = () => undefined,
  ) {
    this.log = createWriteStream(spec.logFile, { flags: 'a', mode: 0o600 });
    // A log that cannot be written (a full disk) must not end what it tells about.
    this.log.on('error', () => undefined);
  }

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** @throws when it is not ready in time or ends before, with the end of its log. */
  async start(): Promise<ReadyLine> {
    const { command, args, env } = this.spec;
    const startedAt = Date.now();
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child = child;
    child.stdin?.on('error', () => undefined);
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', line => this.note(line));
    return new Promise((resolve, reject) => {
      let settled = false;
      const fail = (why: string) => {
        if (settled) return;
        settled = true;
        clearTimeout(deadline);
        reject(new Error(`${this.name} ${why}. The end of ${this.spec.logFile}:\n${this.logTail()}`));
      };
      const deadline = setTimeout(
        () => fail(`was not ready within ${this.spec.readyWithinMs} ms`),
        this.spec.readyWithinMs,
      );
      child.on('error', error => fail(`could not be started: ${error.message}`));
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => {
        const ready = settled ? undefined : readyLine(line);
        if (!ready) return this.note(line);
        settled = true;
        clearTimeout(deadline);
        resolve(ready);
      });
      child.on('exit', (code, signal) => {
        fail(`ended with ${signal ?? code} before it was ready`);
        if (this.child === child) this.ended(startedAt);
      });
    });
  }

  private ended(startedAt: number): void {
    this.child = undefined;
    if (this.stopping) return;
    if (Date.now() - startedAt > STEADY_AFTER_MS) this.failures = 0;
    const delay = RESTART_DELAYS_MS[Math.min(this.failures++, RESTART_DELAYS_MS.length - 1)];
    this.restart = setTimeout(() => {
      this.start().then(
        () => this.onChange(this),
        (error: Error) => this.note(error.message.split('\n')[0] ?? ''),
      );
    }, delay);
  }

  /** Ends the process, gently at first; resolves when it is gone. */
  async stop(graceMs = 10_000): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(hard);
    }
    this.log.end();
  }

  /** What a process still says while it is being stopped may come after its log was closed. */
  private note(line: string): void {
    if (!this.log.writableEnded) this.log.write(`${line}\n`);
  }

  private logTail(): string {
    try {
      return readFileSync(this.spec.logFile, 'utf8').split('\n').slice(-15).join('\n');
    } catch {
      return '(nothing was logged)';
    }
  }
}
