import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { Backoff } from '@postern/messaging/backoff';
import { forgetProcess, type ParentGuard, watchProcess } from '@postern/testing';
import { RotatingLog } from './rotating-log.js';
import { readWholeLines } from './whole-lines.js';

const RESTART_DELAYS_MS = [250, 1_000, 2_000, 5_000, 10_000] as const;
/** After this run time, the restart delays of a process begin anew. */
const STEADY_AFTER_MS = 30_000;

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly readyWithinMs: number;
  /** Ends the process if this one is killed and the process does not end by itself. */
  readonly guard?: ParentGuard;
}

/** The first line that a process of Postern prints once it is ready to serve. */
export interface ReadyLine {
  readonly ready: true;
  readonly [detail: string]: unknown;
}

const findReadyLine = (lines: readonly Buffer[]): ReadyLine | undefined => {
  const line = /^\{"ready":true.*$/m.exec(Buffer.concat(lines).toString())?.[0];
  if (line === undefined) return undefined;
  try {
    return JSON.parse(line) as ReadyLine;
  } catch {
    return undefined;
  }
};

/**
 * A process of the local start: started, awaited until ready, restarted when it ends, and finally stopped. The process
 * ends when its standard input closes; the guard kills it if it does not.
 */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private stopping = false;
  private readonly restarts = Backoff.schedule(RESTART_DELAYS_MS);
  private restart: NodeJS.Timeout | undefined;
  private readonly log: RotatingLog;
  private port: number | undefined;

  constructor(
    private readonly spec: ProcessSpec,
    private readonly onChange: (process: SupervisedProcess) => void = () => undefined,
  ) {
    this.log = new RotatingLog(spec.logFile);
  }

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Port of its health checks and metrics, from its ready line; undefined if it has none. */
  get httpPort(): number | undefined {
    return this.port;
  }

  /** @throws with the end of its log if it is not ready in time or ends before. */
  async start(): Promise<ReadyLine> {
    const { command, args, env } = this.spec;
    const startedAt = Date.now();
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A terminal sends Ctrl-C to the whole foreground group, but only the starter may receive it, to stop the parts
      // in order.
      detached: true,
    });
    this.child = child;
    this.guardAgainstOurDeath(child);
    child.stdin?.on('error', () => undefined);
    readWholeLines(child.stderr as Readable, lines => this.log.append(lines));
    return new Promise((resolve, reject) => {
      let settled = false;
      const fail = (why: string) => {
        if (settled) return;
        settled = true;
        clearTimeout(deadline);
        reject(new Error(`${this.name} ${why}. The end of ${this.spec.logFile}:\n${this.log.tail(15)}`));
      };
      const deadline = setTimeout(
        () => fail(`was not ready within ${this.spec.readyWithinMs} ms`),
        this.spec.readyWithinMs,
      );
      child.on('error', error => fail(`could not be started: ${error.message}`));
      readWholeLines(child.stdout as Readable, lines => {
        this.log.append(lines);
        const ready = settled ? undefined : findReadyLine(lines);
        if (!ready) return;
        settled = true;
        this.port = typeof ready['port'] === 'number' ? ready['port'] : undefined;
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
    if (Date.now() - startedAt > STEADY_AFTER_MS) this.restarts.reset();
    this.restart = setTimeout(() => {
      this.start().then(
        () => this.onChange(this),
        (error: Error) => this.log.write(error.message.split('\n')[0] ?? ''),
      );
    }, this.restarts.next());
  }

  /** Stops the process, first with SIGTERM, then with SIGKILL; resolves once it has ended. */
  async stop(graceMs = 10_000): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(hard);
    }
    this.log.end();
  }

  /** SIGCONT has no other effect than to wake a stopped process, so that it notices the end of the local start. */
  private guardAgainstOurDeath(child: ChildProcess): void {
    const { guard } = this.spec;
    const { pid } = child;
    if (!guard || pid === undefined) return;
    watchProcess(guard, pid, 'CONT');
    child.once('exit', () => forgetProcess(guard, pid));
  }
}
