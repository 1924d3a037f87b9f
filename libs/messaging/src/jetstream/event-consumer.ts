import { setTimeout as pause } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  ReplayPolicy,
} from '@nats-io/jetstream';
import type { EventContract, ServiceName } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { guarded } from '../guard.js';
import type { Log } from '../log.js';
import { DeliverySequence } from './delivery-sequence.js';
import { isAbsent, streamName } from './event-stream.js';
import { type EventRetries, EventWork } from './event-work.js';
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
  /** Keeps events that fail alone; without it they stay in the stream. */
  readonly setAside?: SetAsideEvents | undefined;
  /** Tells the source of events that its stream lost before they were taken. */
  readonly reportGap: ReportGap;
}

/** How far the server has come with a durable consumer. */
interface ConsumerPlace {
  /** The first stream sequence that it has not taken. */
  readonly next: number;
  /** The last sequence that was delivered, and how many deliveries there were. */
  readonly delivered: { readonly stream: number; readonly delivery: number };
}

const ACK_WAIT_MS = 30_000;
const NANOS_PER_MS = 1_000_000;
/** Poisoned events stay unacknowledged between their retries and count against this. */
const MAX_ACK_PENDING = 4_096;

/** Notifications after which the pull has to be set up again from the beginning. */
const LOST = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'stream_not_found',
  'consumer_deleted',
  'no_responders',
]);

/**
 * One durable consumer's share of a stream, for as long as the process lives: it waits for a stream that is not there
 * yet, and sets itself up again after NATS was away or lost its storage. Unwanted types are skipped here, because
 * nats-server 2.9 cannot filter by several subjects.
 */
export class EventConsumer {
  readonly #stopping = new AbortController();
  readonly #work: EventWork;
  readonly #retries: SetAsideRetries | undefined;
  readonly #gaps: GapReports;
  readonly #deliveries = new DeliverySequence();
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: EventConsumerOptions) {
    const { setAside, retries } = options;
    const stopping = this.#stopping.signal;
    const calls = new HandlerCalls(options);
    this.#work = new EventWork({ ...options, calls, setAside, ackWaitMs: ACK_WAIT_MS, stopping });
    this.#retries =
      setAside && new SetAsideRetries({ ...options, calls, store: setAside, retryMs: retries.poisonMs, stopping });
    this.#gaps = new GapReports({ ...options, report: options.reportGap, stopping });
  }

  start(): void {
    this.#running ??= this.#run();
    this.#retries?.start();
  }

  /** Takes no more, waits for the batch under way, and gives the rest back to the other replicas. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#messages?.stop();
    await this.#work.finish();
    await this.#retries?.finish();
    await this.#gaps.finish();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { link, log, durable, source } = this.options;
    const { signal } = this.#stopping;
    const watch = link.status.subscribe(guarded(log, durable, () => this.#messages?.stop()));
    let waitMs = 100;
    while (!signal.aborted && !link.closed) {
      try {
        if (link.connected) {
          await this.#consume();
          waitMs = 100;
        }
      } catch (error) {
        if (!isAbsent(error) && link.connected)
          log.warn({ err: error, durable, source }, 'Consuming events was interrupted');
      }
      this.#work.hold();
      await pause(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(waitMs * 2, 1_000);
    }
    watch.unsubscribe();
  }

  /** Resolves when the pull ended and everything has to be looked at again. */
  async #consume(): Promise<void> {
    const jsm = await suitableManager(this.options.link);
    const stream = streamName(this.options.source);
    const { created, state } = await jsm.streams.info(stream);
    const place = await this.#ensureConsumer(jsm, stream);
    if (place && place.next < state.first_seq)
      this.#gaps.add(created, { first: place.next, last: state.first_seq - 1 });
    const { stream: delivered, delivery } = place?.delivered ?? { stream: 0, delivery: 0 };
    // What the stream has dropped by now was reported, or is older than this consumer.
    this.#deliveries.begin({ stream: Math.max(delivered, state.first_seq - 1), delivery });
    this.#work.resume(created);
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
    this.#work.add(message);
  }

  /** Makes sure that the durable is there; answers how far it has come, undefined for a new one. */
  async #ensureConsumer(jsm: JetStreamManager, stream: string): Promise<ConsumerPlace | undefined> {
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
