import type { HandOverWindow } from './hand-over-window.js';
import type { HandOverResult } from './smtp-answer.js';

/** A message with its envelope. Addresses are bare, as `parseMailbox` gives them; `from: ''` is the null sender. */
export interface HandOver {
  readonly from: string;
  readonly recipients: readonly {
    readonly address: string;
    /** The address as the sender gave it, for notifications (RFC 3461 §4.2). */
    readonly orcpt?: string;
  }[];
  /** The message, or its parts, each of which ends with a line. */
  readonly bytes: Buffer | readonly Buffer[];
  /** Asked for where the relay offers DSN (RFC 3461), left out elsewhere. */
  readonly dsn?: {
    readonly notify: readonly ('SUCCESS' | 'FAILURE' | 'DELAY')[];
    readonly ret: 'HDRS' | 'FULL';
    readonly envid: string;
  };
  /** The headers hold UTF-8 addresses (RFC 6531). Envelope addresses are looked at by themselves. */
  readonly smtpUtf8?: boolean;
  /** Past it nothing is begun, and the message is `unreachable`; without one there is no such limit. */
  readonly window?: HandOverWindow;
}

/** Why a message was not handed over whose window had closed. */
export const TOO_LATE = 'the time for handing it over had passed';

/** How a hand-over over one connection ended, and what the connection is still good for. */
export interface SessionOutcome {
  readonly result: HandOverResult;
  /** `reusable` at once, after a `reset`, or `broken`. */
  readonly connection: 'reusable' | 'reset' | 'broken';
  /** True when the connection was closed before the relay took notice of the message. */
  readonly closedUnheard: boolean;
}
