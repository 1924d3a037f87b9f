import type { RecordedEvent } from '../event.js';
import type { BrokerState } from './outbox-checkpoints.js';

/** The range of messages in the broker's stream, and the progress of its consumers. */
export interface BrokerRetention {
  readonly created: string;
  readonly firstSequence: number;
  /** The last sequence that every consumer has acknowledged; undefined if there is no consumer. */
  readonly takenByAll: number | undefined;
  /** The last sequence that this process has removed because every consumer had acknowledged it. */
  readonly removedTo: number;
}

/** The result of publishing a batch. */
export interface PublishResult {
  readonly lastSequence: number;
  /** The broker stored the first `taken` events of the batch and accepts no more. */
  readonly blocked?: { readonly condition: string; readonly reason: string; readonly taken: number };
}

/** The condition of a stream with settings that prevent publishing. */
export const WRONG_SETTINGS = 'wrong_settings';

export interface Refused {
  readonly condition: string;
  readonly reason: string;
}

/** The broker operations that the relay needs. Publishing the same event again must be harmless. */
export interface Publisher {
  /**
   * Resolves when every event is stored, or with `blocked` when the broker accepts no more.
   * A `repetition` is stored even if the broker already has the event.
   * @throws when it is unknown whether an event is stored.
   */
  publish(batch: readonly RecordedEvent[], repetition?: string): Promise<PublishResult>;
  /** The reason why nothing may be published, although the broker would accept it, as of the last call. */
  refusal?(): Refused | undefined;
  /** Undefined when the broker has no stream of this service; rejects when the broker cannot be reached. */
  state(): Promise<BrokerState | undefined>;
  /** Undefined when the broker has no stream of this service. */
  retention?(): Promise<BrokerRetention | undefined>;
  /** Removes old events that all consumers have acknowledged. */
  removeOld?(): Promise<void>;
}
