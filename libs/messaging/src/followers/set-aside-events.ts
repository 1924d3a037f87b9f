import type { eventEnvelope } from '@postern/contracts';
import type { z } from 'zod';
import type { Effect } from './follower-store.js';

type Envelope = z.output<typeof eventEnvelope>;

/** The reason why an event is set aside, and the time of its retry. */
export interface SetAsideFailure {
  readonly error: string;
  readonly retryAfterMs: number;
}

/**
 * Events that a consumer cannot handle, stored until they are handled or an operator discards them, so that the consumer
 * continues with later ones.
 */
export interface SetAsideEvents {
  /** Stores an event in the transaction that moves the position past it. Does nothing for one that is set aside already. */
  keep(transaction: unknown, consumer: string, envelope: Envelope, failure: SetAsideFailure): Promise<void>;
  /** The oldest event of a consumer that is due; no other replica receives it within `leaseMs`. */
  takeDue(consumer: string, leaseMs: number): Promise<SetAsideEvent | undefined>;
  /** Records another failure. */
  failedAgain(consumer: string, eventId: string, failure: SetAsideFailure): Promise<void>;
  /**
   * Removes the event in one transaction with its effect.
   * @returns false, with nothing written, if it was discarded or handled meanwhile.
   */
  settle(consumer: string, eventId: string, effect: Effect): Promise<boolean>;
}

export interface SetAsideEvent {
  readonly consumer: string;
  readonly envelope: Envelope;
  /** Failures, including the one that set it aside. */
  readonly failures: number;
}
