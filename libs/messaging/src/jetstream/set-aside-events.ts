import type { eventEnvelope } from '@postern/contracts';
import type { z } from 'zod';

type Envelope = z.output<typeof eventEnvelope>;

/** Why an event is set aside, and when it is handled again. */
export interface SetAsideFailure {
  readonly error: string;
  readonly retryAfterMs: number;
}

/**
 * Events that a consumer cannot handle. They are kept outside the stream, which otherwise could not be emptied behind
 * them, until they are handled or an operator discards them.
 */
export interface SetAsideEvents {
  /** Resolves once the event is stored. An event that is set aside already is left as it is. */
  keep(consumer: string, envelope: Envelope, failure: SetAsideFailure): Promise<void>;
  /** Events whose time has come, the oldest first. No replica is given them again within `leaseMs`. */
  takeDue(consumer: string, limit: number, leaseMs: number): Promise<readonly SetAsideEvent[]>;
  /** The event failed once more. */
  failedAgain(consumer: string, eventId: string, failure: SetAsideFailure): Promise<void>;
  remove(consumer: string, eventId: string): Promise<void>;
}

export interface SetAsideEvent {
  readonly envelope: Envelope;
  /** How often it has failed since it was set aside, that time included. */
  readonly failures: number;
}
