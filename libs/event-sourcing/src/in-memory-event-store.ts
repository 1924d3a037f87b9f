import { v7 as uuidv7 } from 'uuid';
import { BEGINNING, type DomainEvent, type EventMetadata, type RecordedEvent } from './event.js';
import { type Appended, ConcurrencyConflict, EventStore, type ExpectedVersion } from './event-store.js';
import { storableFrame, storableJson } from './unstorable-text.js';

/** An event store for tests, in the memory of the process. */
export class InMemoryEventStore extends EventStore {
  readonly #streams = new Map<string, RecordedEvent[]>();
  #count = 0;

  override async append(
    streamId: string,
    events: readonly DomainEvent[],
    { expectedVersion, metadata }: { readonly expectedVersion: ExpectedVersion; readonly metadata: EventMetadata },
  ): Promise<Appended> {
    storableFrame(streamId, events, metadata);
    const stream = this.#streams.get(streamId) ?? [];
    const wanted = expectedVersion === 'none' ? 0 : expectedVersion;
    if (wanted !== 'any' && wanted !== stream.length)
      throw new ConcurrencyConflict(streamId, expectedVersion, stream.length);
    const recorded = events.map(
      ({ type, data }, index): RecordedEvent => ({
        id: uuidv7(),
        type,
        streamId,
        version: stream.length + index + 1,
        data: JSON.parse(storableJson(type, data)) as object,
        metadata,
        occurredAt: new Date(),
        position: { txid: String(this.#count + 1), pos: String(++this.#count) },
      }),
    );
    this.#streams.set(streamId, [...stream, ...recorded]);
    return {
      version: stream.length + recorded.length,
      position: recorded.at(-1)?.position ?? BEGINNING,
      events: recorded,
    };
  }

  override async readStream(streamId: string): Promise<readonly RecordedEvent[]> {
    return this.#streams.get(streamId) ?? [];
  }
}
