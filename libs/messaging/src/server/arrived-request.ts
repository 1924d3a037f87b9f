import type { RequestContract } from '@postern/contracts';
import type { PresentRequest, RequestDeadline } from '../context.js';
import type { RequestFrame } from '../frames.js';

/** Handles one validated request; an error it throws decides the kind of the reply. */
export type Answer = (request: unknown) => Promise<unknown>;

/** A request that the server received, with its deadline by the clocks of this process. */
export class ArrivedRequest implements PresentRequest, RequestDeadline {
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
    /** How long it was held up on its way. */
    readonly delayMs = 0,
  ) {
    const waitMs = frame.w - delayMs;
    this.at = Date.now() + waitMs;
    this.expiresAt = this.arrivedAt + waitMs;
  }

  get deadline(): RequestDeadline {
    return this;
  }

  remainingMs(): number {
    return this.expiresAt - performance.now();
  }

  elapsedMs(): number {
    return this.delayMs + performance.now() - this.arrivedAt;
  }

  onReplyReceived(callback: () => void): void {
    this.#callbacks ??= [];
    this.#callbacks.push(callback);
  }

  /** The callbacks for the confirmation of the reply; read once, when the reply is sent. */
  takeCallbacks(): readonly (() => void)[] | undefined {
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    return callbacks;
  }
}
