import type { RequestContract } from '@postern/contracts';
import type { RequestDeadline, RequestUnderWay } from '../context.js';
import type { RequestFrame } from '../frames.js';

/** Answers one validated request; what it throws decides the kind of the reply. */
export type Answer = (request: unknown) => Promise<unknown>;

/** One request on its way through the server, with its deadline by this process's clocks. */
export class ArrivedRequest implements RequestUnderWay, RequestDeadline {
  readonly at: number;
  readonly arrivedAt = performance.now();
  /** By the monotonic clock. */
  readonly expiresAt: number;
  #callbacks: (() => void)[] | undefined;

  constructor(
    readonly contract: RequestContract,
    readonly answer: Answer,
    readonly frame: RequestFrame,
    readonly replyTo: string,
  ) {
    const now = Date.now();
    const waitMs = Math.min(frame.w, frame.d === undefined ? frame.w : frame.d - now);
    this.at = now + waitMs;
    this.expiresAt = this.arrivedAt + waitMs;
  }

  get deadline(): RequestDeadline {
    return this;
  }

  remainingMs(): number {
    return this.expiresAt - performance.now();
  }

  onReplyReceived(callback: () => void): void {
    this.#callbacks ??= [];
    this.#callbacks.push(callback);
  }

  /** What waits for the confirmation of the reply; asked once, when the reply goes out. */
  takeCallbacks(): readonly (() => void)[] | undefined {
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    return callbacks;
  }
}
