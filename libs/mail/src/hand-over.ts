import type { HandOverResult } from './smtp-answer.js';

/** A message with its envelope. Addresses are bare, as returned by `parseMailbox`; `from: ''` is the null sender. */
export interface HandOver {
  readonly from: string;
  readonly recipients: readonly {
    readonly address: string;
    /** The original address given by the sender, for notifications (RFC 3461 §4.2). */
    readonly orcpt?: string;
  }[];
  /** The message, or its parts, each of which ends with a line. */
  readonly bytes: Buffer | readonly Buffer[];
  /** Delivery notifications, requested if the relay supports DSN (RFC 3461). */
  readonly dsn?: {
    readonly notify: readonly ('SUCCESS' | 'FAILURE' | 'DELAY')[];
    readonly ret: 'HDRS' | 'FULL';
    readonly envid: string;
  };
  /** The headers contain UTF-8 addresses (RFC 6531). Envelope addresses are checked separately. */
  readonly smtpUtf8?: boolean;
  /** Whose message it is: owners take turns for the connections to a relay. */
  readonly owner?: string;
  /** After the window nothing starts, and the message is `unreachable`; absent: no limit. */
  readonly window?: HandOverWindow;
}

/** The reason why a message was not handed over after its window had closed. */
export const TOO_LATE = 'the time for handing it over had passed';

/** The result of a hand-over over one connection, and the state of the connection. */
export interface SessionOutcome {
  readonly result: HandOverResult;
  /** `reusable` at once, needs a `reset`, or `broken`. */
  readonly connection: 'reusable' | 'reset' | 'broken';
  /** True if the connection was closed before the relay processed any command of the message. */
  readonly closedBeforeData: boolean;
}

/**
 * The time in which a hand-over may begin. Sent data cannot be recalled; if the window is closed before, the relay is
 * guaranteed not to receive the message.
 */
export class HandOverWindow {
  #begun = false;
  #closesAt: number;

  /** `closesAt` by the monotonic clock, `performance.now()`. */
  constructor(closesAt: number) {
    this.#closesAt = closesAt;
  }

  /** Milliseconds in which the hand-over may still begin; 0 once the window is closed. */
  get remainingMs(): number {
    return Math.max(0, this.#closesAt - performance.now());
  }

  /** Call immediately before sending the data; false if the data must not be sent. */
  begin(): boolean {
    if (this.remainingMs === 0) return false;
    this.#begun = true;
    return true;
  }

  /** True if the data was not started; it can no longer be started then. */
  close(): boolean {
    this.#closesAt = 0;
    return !this.#begun;
  }
}
