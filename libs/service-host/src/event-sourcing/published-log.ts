import {
  consumerName,
  EVENT_CONSUMERS,
  type EventContract,
  type EventFeed,
  type EventPage,
  type eventEnvelope,
  eventFeed,
  feedsOf,
  type RequestOf,
  type ServiceName,
} from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import {
  countFromZero,
  EventLog,
  type LogPage,
  observeLag,
  type PostgresEventStore,
  type ReaderStatus,
} from '@postern/event-sourcing/postgres';
import type { Log, RequestHandlers } from '@postern/messaging';
import type { z } from 'zod';

type Envelope = z.output<typeof eventEnvelope>;

/** How far a consumer has read. */
export interface ConsumerStatus {
  readonly consumer: string;
  readonly lag: ReaderStatus['lag'];
  /** Undefined for one that has never asked. */
  readonly askedSecondsAgo: number | undefined;
}

export interface PublishedLogOptions {
  readonly service: ServiceName;
  readonly contracts: readonly EventContract[];
  /** Publishes only the fields of each contract, for stored events with fields that must not leave the service. */
  readonly contractFieldsOnly?: boolean | undefined;
  /** What other services may read; by default what the consumers in the contracts read. */
  readonly feeds?: readonly EventFeed[];
  readonly store: PostgresEventStore;
  readonly log: Log;
}

/** A page ends before it has more bytes than this, unless its first event is larger. */
const PAGE_BYTES = 512 * 1024;

/** A consumer that the contracts do not know, and that has not asked for this time, was removed. */
const RETIRED_AFTER_S = 86_400;

/** Answers the services that read the events of this one, a page at a time, by the contracts of their feeds. */
export class PublishedLog {
  readonly eventLog: EventLog;
  readonly #contracts: ReadonlyMap<string, EventContract>;
  /** The consumers of the events, by the contracts. */
  readonly #consumers: readonly string[];
  readonly #unobserve: (() => void)[] = [];

  constructor(private readonly options: PublishedLogOptions) {
    const { store, log, contracts } = options;
    this.#contracts = new Map(contracts.map(contract => [contract.type, contract]));
    this.#consumers = EVENT_CONSUMERS.filter(consumer =>
      consumer.contracts.some(({ type }) => this.#contracts.has(type)),
    ).map(consumer => consumerName(consumer.service, consumer.consumer));
    const countRestore = countFromZero(
      'postern.event_log.restores',
      'Times that the log was found to lack events that were read, or to be another one',
    );
    this.eventLog = new EventLog({
      store,
      onRestored: cause => {
        countRestore(1);
        log.error({ cause }, 'The event log was restored; consumers continue with what it holds');
      },
    });
  }

  /** Registers the handlers of the feeds, of other services and of this one for its own consumers, and exports their lags. */
  serve(handlers: RequestHandlers): void {
    const { service, contracts, feeds = feedsOf(service) } = this.options;
    const own = eventFeed(
      service,
      service,
      contracts.map(({ type }) => type),
    );
    for (const feed of [...feeds, own]) {
      const [reader = service] = feed.callers;
      const handle = (request: unknown) => this.page(reader, request as RequestOf<EventFeed>);
      handlers.add({ owner: 'PublishedLog', contract: feed, handle });
    }
    for (const consumer of this.#consumers) {
      const lag = async () => (await this.eventLog.reader(consumer))?.lag ?? this.eventLog.lagOfAll();
      this.#unobserve.push(observeLag('postern.follower', { follower: consumer }, lag));
    }
  }

  /** Every consumer that the contracts know, and others that have read. */
  async readers(): Promise<readonly ConsumerStatus[]> {
    const known = await this.eventLog.readers();
    const others = known.filter(({ askedSecondsAgo }) => askedSecondsAgo < RETIRED_AFTER_S).map(({ reader }) => reader);
    return Promise.all(
      [...new Set([...this.#consumers, ...others])].sort().map(async consumer => {
        const status = known.find(({ reader }) => reader === consumer);
        const lag = status?.lag ?? (await this.eventLog.lagOfAll());
        return { consumer, lag, askedSecondsAgo: status?.askedSecondsAgo };
      }),
    );
  }

  stop(): void {
    for (const unobserve of this.#unobserve.splice(0)) unobserve();
  }

  /** A page for a consumer of a service. */
  async page(service: string, { consumer, types, after, handled }: RequestOf<EventFeed>): Promise<EventPage> {
    const page = await this.eventLog.page({ reader: consumerName(service, consumer), types, after, handled });
    return this.#withinLimit(page);
  }

  #withinLimit({ events, position, more, hidden, restarted }: LogPage): EventPage {
    const envelopes: Envelope[] = [];
    let bytes = 0;
    for (const event of events) {
      const envelope = this.#envelopeOf(event);
      bytes += Buffer.byteLength(JSON.stringify(envelope));
      const previous = events[envelopes.length - 1];
      if (bytes > PAGE_BYTES && previous && position) {
        const end = { epoch: position.epoch, ...previous.position, event_id: previous.id };
        return { events: envelopes, position: end, more: true, hidden, restarted };
      }
      envelopes.push(envelope);
    }
    return { events: envelopes, position, more, hidden, restarted };
  }

  #envelopeOf({ id, type, streamId, version, occurredAt, data, metadata }: RecordedEvent): Envelope {
    const { correlationId, causationId, traceparent, actor } = metadata;
    return {
      id,
      type,
      stream_id: streamId,
      version,
      occurred_at: occurredAt.toISOString(),
      data: this.options.contractFieldsOnly ? this.#fieldsOf(type, data) : data,
      metadata: {
        correlation_id: correlationId ?? id,
        ...(causationId ? { causation_id: causationId } : {}),
        ...(traceparent ? { traceparent } : {}),
        ...(actor ? { actor } : {}),
      },
    };
  }

  #fieldsOf(type: string, stored: object): object {
    const { shape = {} } = (this.#contracts.get(type)?.data ?? {}) as { readonly shape?: object };
    const fields = stored as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.keys(shape).map(field => [field, fields[field]]));
  }
}
