import { JetStreamApiError, type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import {
  type EventContract,
  type EventMetadata,
  type eventEnvelope,
  type ServiceName,
  streamNameOf,
} from '@postern/contracts';
import type { z } from 'zod';
import type { NatsLink } from '../connection.js';
import { startSpan, type TraceSpan } from '../tracing.js';
import { ensureStream, isAbsent, isOutOfStorage, type StreamLimits, streamConfig } from './event-stream.js';
import { PublishWindow, type StreamMessage, type StreamRefusal, storedBytes } from './publish-window.js';
import { freeBytesOf, StreamMaintenance, type StreamRetention } from './stream-maintenance.js';
import { unsafeSettingsOf } from './unsafe-settings.js';

/** Interval at which the service tries to repair the settings of its stream, if its user is permitted to. */
const MEND_EVERY_MS = 60_000;

export type Envelope = z.output<typeof eventEnvelope>;

/** The parts of a stored event that are published; recorded events of event-sourcing have this shape. */
export interface PublishableEvent {
  readonly id: string;
  readonly type: string;
  readonly streamId: string;
  readonly version: number;
  readonly occurredAt: Date;
  readonly data: unknown;
  readonly metadata: {
    readonly correlationId?: string | undefined;
    readonly causationId?: string | undefined;
    readonly traceparent?: string | undefined;
    readonly actor?: string | undefined;
  };
}

export interface JetStreamPublisherOptions extends StreamLimits {
  readonly service: ServiceName;
  /** The published events; stored events of other types are ignored. */
  readonly contracts: readonly EventContract[];
  /** Publishes only the fields of each contract, for stored events with fields that must not leave the service. */
  readonly contractFieldsOnly?: boolean | undefined;
  /** Removes events from a full stream, and after their age, also while the stream has no durable consumer. */
  readonly removeUnconsumed?: boolean | undefined;
  /** Maximum number of unacknowledged messages (256). */
  readonly inFlight?: number | undefined;
  /** Called when the server has too little storage and a smaller stream was created. */
  readonly onSmaller?: ((size: { readonly bytes: number; readonly wanted: number }) => void) | undefined;
}

/** The state that the outbox relay compares with its checkpoint to find lost events. */
export interface StreamState {
  readonly created: string;
  readonly lastSequence: number;
}

/** The result of publishing a batch. With `blocked`, the stream stored only the first `taken` events. */
export interface Published {
  readonly lastSequence: number;
  readonly blocked?: StreamRefusal & { readonly taken: number };
}

/** Publishes a service's events to its stream `postern-<service>`, which it creates and configures. */
export class JetStreamPublisher {
  readonly #contracts: ReadonlyMap<string, EventContract>;
  readonly #stream: ReturnType<typeof streamConfig>;
  readonly #window: PublishWindow;
  readonly #maintenance: StreamMaintenance;
  #manager: JetStreamManager | undefined;
  #ensured = false;
  #reconnectionsSeen = 0;
  #lastSequence = 0;
  /** Bytes known to be free in the stream; only this publisher adds to it. */
  #freeBytes = 0;
  /** The size that was last reported as too small. */
  #smallerBytes = 0;
  /** The unsafe settings of the stream at the last check. */
  #unsafe: readonly string[] = [];
  #mendedAt = 0;

  constructor(
    private readonly link: NatsLink,
    private readonly options: JetStreamPublisherOptions,
  ) {
    this.#contracts = new Map(options.contracts.map(contract => [contract.type, contract]));
    this.#stream = streamConfig(options.service, options);
    this.#window = new PublishWindow(link, this.#stream.name);
    this.#maintenance = new StreamMaintenance(
      this.#stream,
      options.maxAgeMs ?? 7 * 24 * 3_600_000,
      () => isAtLeast(link, 2, 12),
      options.removeUnconsumed,
    );
  }

  /** The published types, for the outbox relay. */
  get types(): readonly string[] {
    return [...this.#contracts.keys()];
  }

  /**
   * Resolves when the server has stored the batch, or as many events as fit into the stream. The event's id is
   * the message id, so that a batch that is published again within the duplicate window is not stored twice;
   * `repetition` changes the ids, so that it is.
   * @throws when it is unknown whether an event is stored.
   */
  async publish(batch: readonly PublishableEvent[], repetition?: string): Promise<Published> {
    try {
      await this.#ensure();
    } catch (error) {
      if (!(error instanceof JetStreamApiError && isOutOfStorage(error))) throw error;
      const reason = `NATS has no storage for the stream: ${error.message}`;
      return { lastSequence: this.#lastSequence, blocked: { condition: 'no_storage', reason, taken: 0 } };
    }
    const refusal = this.refusal();
    if (refusal) return { lastSequence: this.#lastSequence, blocked: { ...refusal, taken: 0 } };
    const spans: (TraceSpan | undefined)[] = [];
    const published = batch.flatMap((event, place) => {
      const contract = this.#contracts.get(event.type);
      if (!contract) return [];
      const { subject } = contract;
      const visible = this.options.contractFieldsOnly ? withContractFields(event, contract) : event;
      const span = publishSpan(event, subject);
      spans.push(span);
      const id = repetition ? `${event.id}.${repetition}` : event.id;
      return [{ subject, id, place, payload: JSON.stringify(envelopeOf(visible, span?.traceparent)) }];
    });
    const end = (failure?: unknown) => spans.forEach(span => void span?.end(failure));
    const inFlight = this.options.inFlight ?? 256;
    try {
      for (let from = 0; from < published.length; from += inFlight) {
        const { stored, refusal } = await this.#store(published.slice(from, from + inFlight));
        if (!refusal) continue;
        end(refusal.reason);
        return {
          lastSequence: this.#lastSequence,
          blocked: { ...refusal, taken: published[from + stored]?.place ?? 0 },
        };
      }
      end();
    } catch (error) {
      end(error);
      // The stream may be missing: check it before the next attempt.
      this.#ensured = false;
      throw error;
    }
    return { lastSequence: this.#lastSequence };
  }

  /** The reason why no event may be published now: the stream, as last read, would disclose or lose it. */
  refusal(): StreamRefusal | undefined {
    if (this.#unsafe.length === 0) return undefined;
    const reason = `the stream ${this.#stream.name} has settings that no service makes: it ${this.#unsafe.join(', ')}`;
    return { condition: 'wrong_settings', reason };
  }

  /** The content of the stream and the progress of its consumers; undefined without a stream. */
  async retention(): Promise<StreamRetention | undefined> {
    const found = await this.#maintenance.retention(await this.#jsm());
    await this.#check(found?.config);
    return found;
  }

  /** Removes old events that all consumers have acknowledged; cheap to call often. */
  async removeOld(): Promise<void> {
    await this.#maintenance.removeOld(await this.#jsm());
  }

  /** Undefined when the stream does not exist; rejects when the server does not respond. */
  async state(): Promise<StreamState | undefined> {
    const jsm = await this.#jsm();
    try {
      const { created, state, config } = await jsm.streams.info(streamNameOf(this.options.service));
      await this.#check(config);
      return { created, lastSequence: state.last_seq };
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.#unsafe = [];
      return undefined;
    }
  }

  /** Finds settings that no service uses, and changes them if NATS permits it to this user. */
  async #check(config: Partial<StreamConfig> | undefined): Promise<void> {
    this.#unsafe = config ? unsafeSettingsOf(this.options.service, config) : [];
    if (this.#unsafe.length === 0 || Date.now() - this.#mendedAt < MEND_EVERY_MS) return;
    this.#mendedAt = Date.now();
    const mended = await ensureStream(await this.#jsm(), this.#stream).catch(() => undefined);
    if (mended) this.#unsafe = unsafeSettingsOf(this.options.service, mended.config);
  }

  /**
   * Publishes as many events as fit. Free space is counted beforehand, because a smaller event could be stored after a
   * larger one was refused.
   */
  async #store(messages: readonly StreamMessage[]): Promise<{ stored: number; refusal?: StreamRefusal | undefined }> {
    const sizes = messages.map(message => storedBytes(message, this.#stream.name));
    const needed = sizes.reduce((sum, size) => sum + size, 0);
    let refusal: StreamRefusal | undefined;
    if (needed >= this.#freeBytes) {
      const { bytes, heldBy } = await this.#maintenance.freeSpace(await this.#jsm(), needed);
      this.#freeBytes = bytes;
      refusal = { condition: 'full', reason: fullBecauseOf(this.#stream.name, heldBy) };
    }
    let fitting = 0;
    for (let size = 0; fitting < messages.length; fitting++) {
      size += sizes[fitting] ?? 0;
      if (size >= this.#freeBytes) break;
    }
    const outcome = await this.#window.publish(messages.slice(0, fitting));
    this.#lastSequence = Math.max(this.#lastSequence, outcome.lastSequence);
    for (const size of sizes.slice(0, fitting)) this.#freeBytes -= size;
    // The server counts differently: read its state before the next attempt.
    if (outcome.refusal) this.#freeBytes = 0;
    return outcome.refusal ? outcome : { stored: fitting, refusal: fitting < messages.length ? refusal : undefined };
  }

  async #ensure(): Promise<void> {
    if (!this.link.connected) throw new Error('NATS is unavailable');
    if (this.#ensured && this.#reconnectionsSeen === this.link.reconnections) return;
    this.#reconnectionsSeen = this.link.reconnections;
    const info = await ensureStream(await this.#jsm(), this.#stream);
    this.#unsafe = unsafeSettingsOf(this.options.service, info.config);
    const { max_bytes: size } = info.config;
    if (size < this.#stream.max_bytes && size !== this.#smallerBytes)
      this.options.onSmaller?.({ bytes: size, wanted: this.#stream.max_bytes });
    this.#smallerBytes = size;
    this.#lastSequence = info.state.last_seq;
    this.#freeBytes = freeBytesOf(info);
    this.#ensured = true;
  }

  async #jsm(): Promise<JetStreamManager> {
    if (!this.link.connected) throw new Error('NATS is unavailable');
    this.#manager ??= await suitableManager(this.link);
    return this.#manager;
  }
}

const fullBecauseOf = (stream: string, heldBy: string | undefined): string =>
  heldBy
    ? `the stream ${stream} is full, and the consumer ${heldBy} has not taken its events`
    : `the stream ${stream} is full, and no consumer takes its events`;

/** The JetStream management API, if the server is recent enough. */
export const suitableManager = async (link: NatsLink): Promise<JetStreamManager> => {
  if (!isAtLeast(link, 2, 9)) throw new Error(`nats-server ${versionOf(link)} is too old: 2.9 or later is required`);
  return jetstreamManager(link.nc, { checkAPI: false, timeout: 2_000 });
};

const versionOf = (link: NatsLink): string => link.nc.info?.version ?? '0.0.0';

const isAtLeast = (link: NatsLink, leastMajor: number, leastMinor: number): boolean => {
  const [major = 0, minor = 0] = versionOf(link).split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
};

/** Consumers of the event continue the trace from here. */
const publishSpan = ({ id, type, metadata }: PublishableEvent, subject: string): TraceSpan | undefined =>
  startSpan(`publish ${type}`, metadata.traceparent, {
    kind: 'producer',
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.destination.name': subject,
      'messaging.message.id': id,
    },
  });

/** The event with only the fields of its contract. */
const withContractFields = (event: PublishableEvent, { data }: EventContract): PublishableEvent => {
  const { shape = {} } = data as { readonly shape?: object };
  const stored = event.data as Readonly<Record<string, unknown>>;
  return { ...event, data: Object.fromEntries(Object.keys(shape).map(field => [field, stored[field]])) };
};

const envelopeOf = (event: PublishableEvent, traceparent = event.metadata.traceparent): Envelope => ({
  id: event.id,
  type: event.type,
  stream_id: event.streamId,
  version: event.version,
  occurred_at: event.occurredAt.toISOString(),
  data: event.data,
  metadata: metadataOf(event, traceparent),
});

const metadataOf = ({ id, metadata }: PublishableEvent, traceparent: string | undefined): EventMetadata => ({
  correlation_id: metadata.correlationId ?? id,
  ...(metadata.causationId ? { causation_id: metadata.causationId } : {}),
  ...(traceparent ? { traceparent } : {}),
  ...(metadata.actor ? { actor: metadata.actor } : {}),
});
