import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  ReplayPolicy,
} from '@nats-io/jetstream';
import { type EventContract, type ServiceName, streamNameOf } from '@postern/contracts';
import { Backoff } from '../backoff.js';
import type { NatsLink } from '../connection.js';
import { guarded } from '../guard.js';
import type { Log } from '../log.js';
import { DeliverySequence } from './delivery-sequence.js';
import { EventProcessor, type EventRetries } from './event-processor.js';
import { isAbsent } from './event-stream.js';
import { GapReports, type ReportGap } from './gap-reports.js';
import { type HandleEvents, HandlerCalls } from './handler-calls.js';
import { suitableManager } from './jetstream-publisher.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { SetAsideRetries } from './set-aside-retries.js';

export interface EventConsumerOptions {
  readonly link: NatsLink;
  readonly log: Log;
  /** The service whose stream is read. */
  readonly source: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly durable: string;
  readonly batchSize: number;
  readonly handle: HandleEvents;
  readonly retries: EventRetries;
  /** Stores events that fail alone; without it they stay in the stream. */
  readonly setAside?: SetAsideEvents | undefined;
  /** Reports events that the stream lost before they were taken to their source. */
  readonly reportGap: ReportGap;
}

/** The progress of a durable consumer. */
interface ConsumerProgress {
  /** The first stream sequence that is not acknowledged. */
  readonly next: number;
  /** The last delivered sequence, and the number of deliveries. */
  readonly delivered: { readonly stream: number; readonly delivery: number };
}

const ACK_WAIT_MS = 30_000;
const NANOS_PER_MS = 1_000_000;
/** Events that could not be set aside stay unacknowledged and count against this limit. */
const MAX_ACK_PENDING = 4_096;

/** Notifications after which the consumer is set up again. */
const LOST = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'stream_not_found',
  'consumer_deleted',
  'no_responders',
]);

/**
 * Reads a stream with one durable consumer for as long as the process lives: it waits until the stream exists, and
 * sets itself up again after NATS was unavailable or lost its storage. Unwanted types are skipped here, because
 * nats-server 2.9 cannot filter by several subjects.
 */
export class EventConsumer {
  readonly #stopping = new AbortController();
  readonly #processor: EventProcessor;
  readonly #retries: SetAsideRetries | undefined;
  readonly #gaps: GapReports;
  readonly #deliveries = new DeliverySequence();
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: EventConsumerOptions) {
    const { setAside, retries } = options;
    const stopping = this.#stopping.signal;
    const calls = new HandlerCalls(options);
    this.#processor = new EventProcessor({ ...options, calls, setAside, ackWaitMs: ACK_WAIT_MS, stopping });
    this.#retries =
      setAside && new SetAsideRetries({ ...options, calls, store: setAside, retryMs: retries.poisonMs, stopping });
    this.#gaps = new GapReports({ ...options, report: options.reportGap, stopping });
  }

  start(): void {
    this.#running ??= this.#run();
    this.#retries?.start();
  }

  /** Stops receiving, finishes the present batch, and releases other messages to other replicas. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#messages?.stop();
    await this.#processor.finish();
    await this.#retries?.finish();
    await this.#gaps.finish();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { link, log, durable, source } = this.options;
    const { signal } = this.#stopping;
    const watch = link.status.subscribe(guarded(log, durable, () => this.#messages?.stop()));
    const backoff = Backoff.exponential({ firstMs: 100, maxMs: 1_000 });
    while (!signal.aborted && !link.closed) {
      try {
        if (link.connected) {
          await this.#consume();
          backoff.reset();
        }
      } catch (error) {
        if (!isAbsent(error) && link.connected)
          log.warn({ err: error, durable, source }, 'Receiving events was interrupted');
      }
      this.#processor.hold();
      await backoff.pause(signal);
    }
    watch.unsubscribe();
  }

  /** Resolves when the consumer has to be set up again. */
  async #consume(): Promise<void> {
    const jsm = await suitableManager(this.options.link);
    const stream = streamNameOf(this.options.source);
    const { created, state } = await jsm.streams.info(stream);
    const place = await this.#ensureConsumer(jsm, stream);
    if (place && place.next < state.first_seq)
      this.#gaps.add(created, { first: place.next, last: state.first_seq - 1 });
    const { stream: delivered, delivery } = place?.delivered ?? { stream: 0, delivery: 0 };
    // Events that the stream has dropped were reported, or are older than this consumer.
    this.#deliveries.begin({ stream: Math.max(delivered, state.first_seq - 1), delivery });
    this.#processor.resume(created);
    if (this.#stopping.signal.aborted) return;
    const consumer = await jsm.jetstream().consumers.get(stream, this.options.durable);
    const messages = await consumer.consume({
      max_messages: this.options.batchSize * 2,
      idle_heartbeat: 5_000,
      expires: 30_000,
      callback: guarded(this.options.log, this.options.durable, (message: JsMsg) => this.#take(message, created)),
    });
    this.#messages = messages;
    if (this.#stopping.signal.aborted || !this.options.link.connected) messages.stop();
    for await (const notification of messages.status()) if (LOST.has(notification.type)) break;
    messages.stop();
    await messages.closed();
    this.#messages = undefined;
  }

  #take(message: JsMsg, streamCreated: string): void {
    const missing = this.#deliveries.see(message);
    if (missing) this.#gaps.add(streamCreated, missing);
    this.#processor.add(message);
  }

  /**
   * Creates the durable consumer if it does not exist.
   * @returns its progress; undefined for a new one.
   */
  async #ensureConsumer(jsm: JetStreamManager, stream: string): Promise<ConsumerProgress | undefined> {
    const { durable } = this.options;
    const found = await jsm.consumers.info(stream, durable).catch(error => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (found) {
      const { ack_floor: taken, delivered } = found;
      return {
        next: taken.stream_seq + 1,
        delivered: { stream: delivered.stream_seq, delivery: delivered.consumer_seq },
      };
    }
    await jsm.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
      max_ack_pending: MAX_ACK_PENDING,
      max_deliver: -1,
    });
    return undefined;
  }
}
