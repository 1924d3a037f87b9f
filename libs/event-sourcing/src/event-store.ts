import type { DomainEvent, EventMetadata, Position, RecordedEvent } from './event.js';

/** The version that a stream must have before an append: a number, `none` for a new stream, or `any`. */
export type ExpectedVersion = number | 'none' | 'any';

/** One atomic addition to one stream. */
export interface Append {
  readonly streamId: string;
  readonly events: readonly DomainEvent[];
  readonly expectedVersion: ExpectedVersion;
  readonly metadata: EventMetadata;
}

export interface Appended {
  /** The version of the stream's last event. */
  readonly version: number;
  /** The position of the last new event in the feed; `BEGINNING` when there is none. */
  readonly position: Position;
  readonly events: readonly RecordedEvent[];
}

/** Another writer changed the stream first. Nothing was appended; load, decide and append again. */
export class ConcurrencyConflict extends Error {
  override readonly name = 'ConcurrencyConflict';

  constructor(
    readonly streamId: string,
    readonly expected: ExpectedVersion,
    readonly actual: number,
  ) {
    super(`stream ${streamId} is at version ${actual}, expected ${expected}`);
  }
}

/** The events of one service, in streams. */
export abstract class EventStore {
  /**
   * Appends all events or none.
   * @throws ConcurrencyConflict when the stream is not at the expected version; UnstorableEventError for text and numbers
   * that cannot be stored.
   */
  abstract append(
    streamId: string,
    events: readonly DomainEvent[],
    options: { readonly expectedVersion: ExpectedVersion; readonly metadata: EventMetadata },
  ): Promise<Appended>;

  /** The whole stream, oldest first; empty for one that does not exist. */
  abstract readStream(streamId: string): Promise<readonly RecordedEvent[]>;
}
