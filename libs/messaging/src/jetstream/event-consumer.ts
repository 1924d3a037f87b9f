import type { JsMsg, StreamInfo } from '@nats-io/jetstream';
import { type EventContract, type ServiceName, streamNameOf } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import type { Log } from '../log.js';
import { DeliverySequence } from './delivery-sequence.js';
import { ACK_WAIT_MS, type ConsumerProgress, DurableReader } from './durable-reader.js';
import { EventProcessor, type EventRetries } from './event-processor.js';
import { GapReports, type ReportGap } from './gap-reports.js';
import { type HandleEvents, HandlerCalls } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { SetAsideRetries } from './set-aside-retries.js';

export interface EventConsumerOptions {
  readonly link: NatsLink;
  readonly log: Log;
  /** The service whose stream is read. */
  readonly source: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly durable: string;
  /** Durable consumers of the same stream whose positions and set-aside events this consumer inherits. */
  readonly replaces: readonly string[];
  readonly batchSize: number;
  readonly handle: HandleEvents;
  readonly retries: EventRetries;
  /** Stores events that fail alone; without it they stay in the stream. */
  readonly setAside?: SetAsideEvents | undefined;
  /** Reports to the source events that the stream lost before they were consumed. */
  readonly reportGap: ReportGap;
}

/** Events that could not be set aside stay unacknowledged and count against this limit. */
const MAX_ACK_PENDING = 4_096;

/**
 * Handles the events of a stream in batches. Unwanted types are skipped here, because nats-server 2.9 cannot filter by
 * several subjects.
 */
export class EventConsumer {
  readonly #stopping = new AbortController();
  readonly #reader: DurableReader;
  readonly #processor: EventProcessor;
  readonly #retries: SetAsideRetries | undefined;
  readonly #gaps: GapReports;
  readonly #deliveries = new DeliverySequence();
  #streamCreated = '';

  constructor(options: EventConsumerOptions) {
    const { link, log, source, durable, replaces, batchSize, setAside, retries } = options;
    const stopping = this.#stopping.signal;
    const calls = new HandlerCalls(options);
    this.#processor = new EventProcessor({ ...options, calls, setAside, ackWaitMs: ACK_WAIT_MS, stopping });
    const consumers = [durable, ...replaces];
    this.#retries =
      setAside && new SetAsideRetries({ consumers, log, calls, store: setAside, retryMs: retries.poisonMs, stopping });
    this.#gaps = new GapReports({ ...options, report: options.reportGap, stopping });
    const stream = streamNameOf(source);
    this.#reader = new DurableReader({
      link,
      log,
      stream,
      durable,
      replaces,
      batchSize: batchSize * 2,
      maxAckPending: MAX_ACK_PENDING,
      stopping,
      open: jsm => jsm.streams.info(stream),
      begin: (info, progress) => this.#begin(info, progress),
      take: message => this.#take(message),
      interrupted: () => this.#processor.hold(),
    });
  }

  start(): void {
    this.#reader.start();
    this.#retries?.start();
  }

  /** Stops receiving, finishes the current batch, and releases other messages to other replicas. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reader.stop();
    await this.#processor.finish();
    await this.#retries?.finish();
    await this.#gaps.finish();
    await this.#reader.finish();
  }

  #begin({ created, state }: StreamInfo, progress: ConsumerProgress | undefined): void {
    if (progress && progress.next < state.first_seq)
      this.#gaps.add(created, { first: progress.next, last: state.first_seq - 1 });
    const { stream: delivered, delivery } = progress?.delivered ?? { stream: 0, delivery: 0 };
    // Events that the stream has dropped were reported, or are older than this consumer.
    this.#deliveries.begin({ stream: Math.max(delivered, state.first_seq - 1), delivery });
    this.#streamCreated = created;
    this.#processor.resume(created);
  }

  #take(message: JsMsg): void {
    const missing = this.#deliveries.record(message);
    if (missing) this.#gaps.add(this.#streamCreated, missing);
    this.#processor.add(message);
  }
}
