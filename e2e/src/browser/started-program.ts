import type { ChildProcess } from 'node:child_process';
import { waitFor } from '@postern/testing';

const STOP_WITHIN_MS = 60_000;

/** A program in its own process group, with its output. */
export class StartedProgram {
  #printed = '';
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string }>;

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#printed += chunk.toString('utf8');
      });
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', code => resolve({ code, printed: this.#printed }));
    });
  }

  /** Waits for matching output. @throws with the end of the output if the program ends first, or after the timeout. */
  until(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    return waitFor(
      () => {
        const found = pattern.exec(this.#printed);
        if (!found && this.child.exitCode !== null)
          throw new Error(`the program ended with ${this.child.exitCode}: ${this.#printed.slice(-2_000)}`);
        return found ?? undefined;
      },
      { timeoutMs, intervalMs: 100, describe: `${pattern} in ${JSON.stringify(this.#printed.slice(-2_000))}` },
    );
  }

  /** Sends SIGINT, and waits until the program has ended. */
  async stop(): Promise<void> {
    const { pid, exitCode } = this.child;
    if (pid === undefined || exitCode !== null) return;
    const kill = (signal: NodeJS.Signals) => {
      try {
        process.kill(-pid, signal);
      } catch {
        // The process has already ended.
      }
    };
    kill('SIGINT');
    const timer = setTimeout(() => kill('SIGKILL'), STOP_WITHIN_MS);
    await this.ended.catch(() => undefined);
    clearTimeout(timer);
  }
}
