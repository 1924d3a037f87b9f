import {
  AckPolicy,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  ReplayPolicy,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Backoff } from '../backoff.js';
import type { NatsLink } from '../connection.js';
import { guarded } from '../guard.js';
import type { Log } from '../log.js';
import { suitableManager } from './jetstream-manager.js';
import { isAbsent } from './queue-stream.js';

export interface DurableReaderOptions {
  readonly link: NatsLink;
  readonly log: Log;
  readonly stream: string;
  readonly durable: string;
  /** Messages that are requested at a time. */
  readonly batchSize: number;
  /** Maximum number of delivered messages without an acknowledgement. */
  readonly maxAckPending: number;
  readonly stopping: AbortSignal;
  /** Finds or creates the stream. */
  readonly open: (jsm: JetStreamManager) => Promise<StreamInfo>;
  /** Called before the first message of every set-up. */
  readonly begin?: () => void;
  readonly take: (message: JsMsg) => void;
}

/** A message without an acknowledgement is delivered again after this time. */
const ACK_WAIT_MS = 30_000;
const NANOS_PER_MS = 1_000_000;

/** Notifications after which the consumer is set up again. */
const LOST = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'stream_not_found',
  'consumer_deleted',
  'no_responders',
]);

/**
 * Reads a stream with one durable consumer until it is stopped: it waits until the stream exists, and sets itself up
 * again after NATS was unavailable or lost its storage.
 */
export class DurableReader {
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: DurableReaderOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Requests no more messages. Abort the signal before. */
  stop(): void {
    this.#messages?.stop();
  }

  /** Resolves when the reader has stopped. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { link, log, durable, stream, stopping } = this.options;
    const watch = link.status.subscribe(guarded(log, durable, () => this.#messages?.stop()));
    const backoff = Backoff.exponential({ firstMs: 100, maxMs: 1_000 });
    while (!stopping.aborted && !link.closed) {
      try {
        if (link.connected) {
          await this.#consume();
          backoff.reset();
        }
      } catch (error) {
        if (!isAbsent(error) && link.connected)
          log.warn({ err: error, durable, stream }, 'Receiving from a stream was interrupted');
      }
      await backoff.pause(stopping);
    }
    watch.unsubscribe();
  }

  /** Resolves when the consumer has to be set up again. */
  async #consume(): Promise<void> {
    const { link, log, stream, durable, batchSize, stopping, open, begin, take } = this.options;
    const jsm = await suitableManager(link);
    const info = await open(jsm);
    await this.#ensureConsumer(jsm, info);
    begin?.();
    if (stopping.aborted) return;
    const consumer = await jsm.jetstream().consumers.get(stream, durable);
    const messages = await consumer.consume({
      max_messages: batchSize,
      idle_heartbeat: 5_000,
      expires: 30_000,
      callback: guarded(log, durable, take),
    });
    this.#messages = messages;
    // Requested before the stop: notifications requested afterwards never end by themselves.
    const notifications = messages.status();
    if (stopping.aborted || !link.connected) messages.stop();
    for await (const notification of notifications) if (LOST.has(notification.type)) break;
    messages.stop();
    await messages.closed();
    this.#messages = undefined;
  }

  /**
   * Creates the durable consumer if it does not exist. One that is ahead of its stream, as after NATS has lost the end of it,
   * would ignore new messages, and is created again.
   */
  async #ensureConsumer(jsm: JetStreamManager, { state }: StreamInfo): Promise<void> {
    const { log, stream, durable, maxAckPending } = this.options;
    const found = await consumerInfo(jsm, stream, durable);
    if (found && Math.max(found.delivered.stream_seq, found.ack_floor.stream_seq) <= state.last_seq) return;
    if (found) {
      log.error(
        { stream, durable, last: state.last_seq },
        'NATS has lost messages of a queue; its consumer starts again',
      );
      await jsm.consumers.delete(stream, durable);
    }
    await jsm.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
      max_ack_pending: maxAckPending,
      max_deliver: -1,
    });
  }
}

/** The state of a durable consumer on the server; undefined if it does not exist. */
export const consumerInfo = async (
  jsm: JetStreamManager,
  stream: string,
  durable: string,
): Promise<ConsumerInfo | undefined> => {
  try {
    return await jsm.consumers.info(stream, durable);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};
