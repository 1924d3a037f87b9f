import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

interface Answer {
  readonly ready?: Readonly<Record<string, unknown>>;
  readonly call?: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** A separate process of the benchmark that handles commands: generator, sink, receiver or reference. */
export class BenchProcess {
  private calls = 0;
  private readonly open = new Map<number, PromiseWithResolvers<unknown>>();

  private constructor(
    private readonly child: ChildProcess,
    /** The message that it sent when it was ready. */
    readonly ready: Readonly<Record<string, unknown>>,
  ) {
    child.on('message', ({ call, result, failure }: Answer) => {
      const waiting = this.open.get(call ?? -1);
      this.open.delete(call ?? -1);
      if (failure === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(failure));
    });
    child.on('exit', () => {
      for (const { reject } of this.open.values()) reject(new Error('a benchmark process exited'));
    });
  }

  /**
   * Starts `dist/<script>`. With low priority it only gets CPU time that nothing else needs.
   * @throws if it exits before it is ready.
   */
  static async start(
    script: string,
    environment: Readonly<Record<string, string>> = {},
    { hasLowPriority = false } = {},
  ): Promise<BenchProcess> {
    const child = fork(join(import.meta.dirname, '..', script), {
      env: { ...process.env, NODE_ENV: 'production', ...environment },
      execArgv: [],
      detached: hasLowPriority,
    });
    if (hasLowPriority) lowerPriority(child.pid as number);
    const ready = await new Promise<Answer>((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', code => reject(new Error(`${script} exited with ${code} before it was ready`)));
    });
    return new BenchProcess(child, ready.ready ?? {});
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get port(): number {
    return Number(this.ready['port']);
  }

  /** Sends a command. @throws the error of the command. */
  call<Result>(command: string, argument: unknown = null): Promise<Result> {
    const call = ++this.calls;
    const waiting = Promise.withResolvers<unknown>();
    this.open.set(call, waiting);
    this.child.send({ call, command, argument }, error => error && waiting.reject(error));
    return waiting.promise as Promise<Result>;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = new Promise(resolve => this.child.once('exit', resolve));
    if (this.child.connected) this.child.disconnect();
    const hard = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(hard);
  }
}

/**
 * Linux first divides the CPU among sessions (`sched(7)`, autogroup), so the priority of a process only counts within its
 * session. This process leads its own session, whose priority is lowered too.
 */
const lowerPriority = (pid: number): void => {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const session = `/proc/${pid}/autogroup`;
  if (existsSync(session)) writeFileSync(session, String(constants.priority.PRIORITY_LOW));
};
