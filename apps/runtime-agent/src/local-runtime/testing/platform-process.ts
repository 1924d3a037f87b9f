import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order } from './owner-main.js';

const ENTRY = fileURLToPath(new URL('../../../dist/local-runtime/testing/owner-main.js', import.meta.url));

/** The compiled local runtime in its own process, which a test can kill. */
export class PlatformProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(home: string): Promise<PlatformProcess> {
    const child = fork(ENTRY, [home], { execArgv: [] });
    const exit = once(child, 'exit').then(() => Promise.reject(new Error('the platform did not start')));
    await Promise.race([once(child, 'message'), exit]);
    exit.catch(() => {});
    return new PlatformProcess(child);
  }

  /** Resolves with `done`, or with the error message. */
  async order(order: Order): Promise<string> {
    const answer = once(this.child, 'message');
    this.begin(order);
    return String((await answer)[0]);
  }

  /** Sends the order without waiting for its result. */
  begin(order: Order): void {
    this.child.send(order);
  }

  /** Kills the process with SIGKILL; its instances keep running. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
