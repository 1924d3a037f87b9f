import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { EventContract, EventMetadata, eventEnvelope, ServiceName } from '@postern/contracts';
import type { z } from 'zod';
import type { NatsLink } from '../connection.js';
import { startSpan, type TraceSpan } from '../tracing.js';
import { ensureStream, isAbsent, type StreamLimits, streamConfig, streamName } from './event-stream.js';
import { PublishWindow } from './publish-window.js';

export type Envelope = z.output<typeof eventEnvelope>;

/** What has to be known of a stored event to publish it; event-sourcing's recorded events have this shape. */
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
  /** What this service publishes; stored events of any other type are its own business and are passed over. */
  readonly contracts: readonly EventContract[];
  /** Unacknowledged messages at a time (256). */
  readonly inFlight?: number | undefined;
}

/** What the outbox relay compares with its checkpoint: a broker that went back has lost something. */
export interface StreamState {
  readonly created: string;
  readonly lastSequence: number;
}

/** Publishes a service's events to its stream `postern-<service>`, which it creates and keeps as configured. */
export class JetStreamPublisher {
  readonly #subjects: ReadonlyMap<string, string>;
  readonly #stream: ReturnType<typeof streamConfig>;
  readonly #window: PublishWindow;
  #manager: JetStreamManager | undefined;
  #ensured = false;
  #reconnectionsSeen = 0;
  #lastSequence = 0;

  constructor(
    private readonly link: NatsLink,
    private readonly options: JetStreamPublisherOptions,
  ) {
    this.#subjects = new Map(options.contracts.map(contract => [contract.type, contract.subject]));
    this.#stream = streamConfig(options.service, options);
    this.#window = new PublishWindow(link, this.#stream.name);
  }

  /** The types that it publishes, for the outbox relay. */
  get types(): readonly string[] {
    return [...this.#subjects.keys()];
  }

  /**
   * Resolves when the server has stored every published event of the batch; the event's id is the message id, so
   * that repeating a batch within the duplicate window stores nothing twice. Rejects if any is in doubt.
   */
  async publish(batch: readonly PublishableEvent[]): Promise<{ lastSequence: number }> {
    await this.#ensure();
    const spans: (TraceSpan | undefined)[] = [];
    const published = batch.flatMap(event => {
      const subject = this.#subjects.get(event.type);
      if (!subject) return [];
      const span = publishSpan(event, subject);
      spans.push(span);
      return [{ subject, id: event.id, payload: JSON.stringify(envelopeOf(event, span?.traceparent)) }];
    });
    const end = (failure?: unknown) => spans.forEach(span => void span?.end(failure));
    const inFlight = this.options.inFlight ?? 256;
    try {
      for (let from = 0; from < published.length; from += inFlight) {
        const stored = await this.#window.publish(published.slice(from, from + inFlight));
        this.#lastSequence = Math.max(this.#lastSequence, stored);
      }
      end();
    } catch (error) {
      end(error);
      // Whatever went wrong, the stream may be gone: look again before the next attempt.
      this.#ensured = false;
      throw error;
    }
    return { lastSequence: this.#lastSequence };
  }

  /** Undefined when the stream does not exist; rejects when the server cannot be asked. */
  async state(): Promise<StreamState | undefined> {
    const jsm = await this.#jsm();
    try {
      const { created, state } = await jsm.streams.info(streamName(this.options.service));
      return { created, lastSequence: state.last_seq };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async #ensure(): Promise<void> {
    if (!this.link.connected) throw new Error('NATS is away');
    if (this.#ensured && this.#reconnectionsSeen === this.link.reconnections) return;
    this.#reconnectionsSeen = this.link.reconnections;
    const { state } = await ensureStream(await this.#jsm(), this.#stream);
    this.#lastSequence = state.last_seq;
    this.#ensured = true;
  }

  async #jsm(): Promise<JetStreamManager> {
    if (!this.link.connected) throw new Error('NATS is away');
    this.#manager ??= await suitableManager(this.link);
    return this.#manager;
  }
}

/** JetStream's management API of a server that is recent enough to be relied on. */
export const suitableManager = async (link: NatsLink): Promise<JetStreamManager> => {
  const version = link.nc.info?.version ?? '0.0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 9)) throw new Error(`nats-server ${version} is too old: 2.9 is the oldest`);
  return jetstreamManager(link.nc, { checkAPI: false, timeout: 2_000 });
};

/** Who takes the event continues the trace from here. */
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
