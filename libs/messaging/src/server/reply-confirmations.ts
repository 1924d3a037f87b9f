import type { Msg, Subscription } from '@nats-io/transport-node';
import { CONFIRMATIONS } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { decodeFrames, isToken } from '../frames.js';
import { guarded } from '../guard.js';
import type { Log } from '../log.js';
import type { MalformedReport } from '../malformed.js';

interface Awaited {
  readonly callbacks: readonly (() => void)[];
  /** By the monotonic clock. */
  readonly until: number;
}

/** How long after a request's deadline its confirmation is accepted. */
const AFTER_DEADLINE_MS = 5_000;
const SWEEP_MS = 1_000;
const MOST = 100_000;

/**
 * Callbacks that wait until a caller confirms a reply. Confirmations are arrays of numbers over core NATS, at most
 * once; a callback without a confirmation soon after its deadline is dropped.
 */
export class ReplyConfirmations {
  /** The subject for confirmations. */
  readonly subject: string;
  readonly #awaited = new Map<number, Awaited>();
  #subscription: Subscription | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #empty: (() => void) | undefined;
  #last = 0;

  constructor(
    private readonly link: NatsLink,
    private readonly log: Log,
    private readonly malformed: MalformedReport,
  ) {
    this.subject = link.newInbox(CONFIRMATIONS);
  }

  /** The number to send with the reply. */
  expect(callbacks: readonly (() => void)[], deadline: number): number {
    // Subscribed on the same connection before the reply is sent, so no confirmation is missed.
    this.#subscription ??= this.link.subscribe(this.subject, message => this.#confirmed(message), {
      where: 'reply confirmations',
    });
    this.#sweep ??= setInterval(
      guarded(this.log, 'reply confirmations', () => this.#dropOld()),
      SWEEP_MS,
    ).unref();
    if (this.#awaited.size >= MOST) this.#awaited.delete(this.#awaited.keys().next().value!);
    this.#last += 1;
    this.#awaited.set(this.#last, { callbacks, until: deadline + AFTER_DEADLINE_MS });
    return this.#last;
  }

  /** Waits for outstanding confirmations, up to `limitMs`, and unsubscribes. */
  async close(limitMs: number): Promise<void> {
    if (this.#awaited.size > 0 && this.link.connected) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#empty = resolve;
      const timer = setTimeout(resolve, limitMs);
      await promise;
      clearTimeout(timer);
    }
    clearInterval(this.#sweep);
    this.#awaited.clear();
    if (this.#subscription && !this.#subscription.isClosed()) this.#subscription.unsubscribe();
  }

  #confirmed(message: Msg): void {
    const tokens = decodeFrames(message.data);
    if (typeof tokens === 'string' || !tokens.every(isToken)) {
      this.malformed.note('reply confirmations', typeof tokens === 'string' ? tokens : 'no numbers');
      return;
    }
    for (const token of tokens) {
      const awaited = this.#awaited.get(token);
      this.#awaited.delete(token);
      for (const callback of awaited?.callbacks ?? []) guarded(this.log, 'onReplyReceived', callback)();
    }
    if (this.#awaited.size === 0) this.#empty?.();
  }

  #dropOld(): void {
    const now = performance.now();
    for (const [token, { until }] of this.#awaited) if (until < now) this.#awaited.delete(token);
    if (this.#awaited.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
