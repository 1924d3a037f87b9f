import { createHash, timingSafeEqual } from 'node:crypto';
import type { RunOrder, Terminal, TerminalOrder } from '@postern/runtime';
import { quoted } from '../../infrastructure/builders/quoted.js';
import type { Instance } from '../instances/instance.js';
import { LocalTerminal } from './local-terminal.js';

const LOST = 'ended because the connection to its terminal was lost';
/** How long the end of the output can still be read. */
const KEPT_MS = 30_000;

interface Entry {
  readonly tokenHash: string;
  readonly terminal: LocalTerminal;
}

/** The terminals of the commands that run on this machine. They end with this process. */
export class Terminals {
  readonly #open = new Map<string, Entry>();
  #opened = Promise.withResolvers<void>();

  /**
   * Starts a command in a terminal. The command is cancelled when nobody reads the terminal; a cancellation hangs it up.
   * @param start gets the descriptor of the terminal.
   */
  async start(
    { runId }: RunOrder,
    { tokenHash, ...size }: TerminalOrder,
    cancel: AbortController,
    start: (descriptor: number) => Promise<Instance>,
  ): Promise<Instance> {
    const terminal = await LocalTerminal.open(size, () => {
      terminal.hangUp();
      cancel.abort(LOST);
    });
    cancel.signal.addEventListener('abort', () => terminal.hangUp(), { once: true });
    try {
      const instance = await start(terminal.descriptor);
      await terminal.release(size);
      this.#open.set(runId, { tokenHash, terminal });
      this.#opened.resolve();
      this.#opened = Promise.withResolvers<void>();
      void instance.exited.then(() => this.#forgetLater(runId));
      return instance;
    } catch (error) {
      terminal.hangUp();
      throw error;
    }
  }

  #forgetLater(runId: string): void {
    setTimeout(() => {
      this.#open.get(runId)?.terminal.hangUp();
      this.#open.delete(runId);
    }, KEPT_MS).unref();
  }

  /** Waits up to `waitMs` until the command has a terminal. Returns undefined without one, or for another token. */
  async find(runId: string, token: string, waitMs: number): Promise<Terminal | undefined> {
    const late = AbortSignal.timeout(waitMs);
    const isLate = new Promise<void>(resolve => late.addEventListener('abort', () => resolve(), { once: true }));
    while (!this.#open.has(runId) && waitMs > 0 && !late.aborted) await Promise.race([this.#opened.promise, isLate]);
    const entry = this.#open.get(runId);
    return entry && isSame(entry.tokenHash, hashOf(token)) ? entry.terminal : undefined;
  }
}

/** The order as it runs in a terminal: as the leader of a session of its own, so that the terminal controls its jobs. */
export const inTerminal = <Order extends RunOrder>(order: Order): Order => ({
  ...order,
  command: `exec setsid -c /bin/sh -c ${quoted(order.command)} <&1 2>&1`,
  environment: { TERM: 'xterm-256color', ...order.environment },
});

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
