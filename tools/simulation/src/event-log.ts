import type { EventMetadata } from '@postern/event-sourcing';
import type { Random } from './random.js';

export interface LoggedEvent {
  readonly id: string;
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

/** The committed events of one service and their streams. */
export class EventLog {
  readonly events: LoggedEvent[] = [];
  readonly #streams = new Map<string, LoggedEvent[]>();

  constructor(private readonly newId: () => string) {}

  stream(streamId: string): readonly LoggedEvent[] {
    return this.#streams.get(streamId) ?? [];
  }

  /** Appends to the end of the stream; the caller must have checked the expected version. */
  append(streamId: string, events: readonly { type: string; data: object }[], metadata: EventMetadata): void {
    for (const { type, data } of events) {
      const version = this.stream(streamId).length + 1;
      const event = { id: this.newId(), streamId, version, type, data, metadata };
      this.events.push(event);
      this.#streams.set(streamId, [...this.stream(streamId), event]);
    }
  }
}

/** One consumer of a log's published events: delivers each at least once, in batches, sometimes repeatedly. */
export class Subscription {
  readonly #publishedSoFar: LoggedEvent[] = [];
  #read = 0;
  #taken = 0;

  constructor(
    private readonly log: EventLog,
    private readonly isPublished: (event: LoggedEvent) => boolean,
    private readonly random: Random,
  ) {}

  get behind(): number {
    return this.#published.length - this.#taken;
  }

  /** Delivers the next batch, sometimes with earlier events; it is acknowledged if `handle` succeeds. */
  async deliver(handle: (batch: readonly LoggedEvent[]) => Promise<boolean>): Promise<void> {
    if (this.behind === 0) return;
    const size = 1 + this.random.below(this.behind);
    const from = this.random.chance(0.2) ? this.random.below(this.#taken + 1) : this.#taken;
    const batch = this.#published.slice(from, this.#taken + size);
    if (await handle(batch)) this.#taken += size;
  }

  /** Reads the events that the log has gained since the last call. */
  get #published(): readonly LoggedEvent[] {
    for (; this.#read < this.log.events.length; this.#read++) {
      const event = this.log.events[this.#read] as LoggedEvent;
      if (this.isPublished(event)) this.#publishedSoFar.push(event);
    }
    return this.#publishedSoFar;
  }
}

/** The event as the broker transports it. */
export const envelopeOf = ({ id, streamId, version, type, data, metadata }: LoggedEvent, occurredAt: string) => ({
  id,
  type,
  stream_id: streamId,
  version,
  occurred_at: occurredAt,
  data,
  metadata: { correlation_id: metadata.correlationId ?? id },
});
