import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { type ServiceName, streamNameOf, streamSubjectOf } from '@postern/contracts';
import { Backoff } from '../backoff.js';
import { guarded, reportCallbackError } from '../guard.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import { type Envelope, type HandlerCalls, readEnvelope } from './handler-calls.js';
import { isFromAnotherStream } from './message-origin.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { describeError } from './set-aside-retries.js';
import { Settlements } from './settlements.js';

export interface EventProcessorOptions {
  readonly log: Log;
  readonly durable: string;
  /** The service whose stream is read. */
  readonly source: ServiceName;
  readonly calls: HandlerCalls;
  /** Stores events that fail alone; without it they stay in the stream and are delivered again. */
  readonly setAside: SetAsideEvents | undefined;
  readonly batchSize: number;
  readonly ackWaitMs: number;
  readonly stopping: AbortSignal;
  readonly retries: EventRetries;
}

interface Item {
  readonly message: JsMsg;
  /** Creation time of the stream that the message came from. */
  readonly origin: string;
  readonly envelope: Envelope;
}

/** Delays before a failing handler is called again, in milliseconds. */
export interface EventRetries {
  /** Delays before a failing batch is divided. */
  readonly batchMs: readonly number[];
  /** Delay of a batch in which every event fails. */
  readonly outageMs: number;
  /** Delays of an event that fails alone; the last one repeats. */
  readonly poisonMs: readonly [number, ...number[]];
}

export const DEFAULT_EVENT_RETRIES: EventRetries = {
  batchMs: [100, 400, 1_600],
  outageMs: 5_000,
  poisonMs: [5_000, 30_000, 120_000, 600_000],
};

/** Time to collect the next batch after a small one: a transaction costs the same for one event as for thirty. */
const COLLECT_MS = 30;

/**
 * Handles delivered events batch by batch, in order. A failing batch is retried, then divided until the events that
 * fail alone are found; those are set aside. If every event fails, it is an outage, and the whole batch waits.
 */
export class EventProcessor {
  readonly #suspects = new Map<string, number>();
  #queue: JsMsg[] = [];
  #current: JsMsg[] = [];
  readonly #malformed: MalformedReport;
  /** The prefix of the subjects of the source's events. */
  readonly #subjectPrefix: string;
  readonly #settlements = new Settlements();
  #processing: Promise<void> | undefined;
  readonly #storing = new Set<Promise<void>>();
  /** The error of the last handler call. */
  #lastError: unknown;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(private readonly options: EventProcessorOptions) {
    this.#malformed = new MalformedReport(options.log);
    this.#subjectPrefix = streamSubjectOf(options.source).replace('>', '');
    const keepAlive = guarded(options.log, 'keep events', () => this.#keepAlive());
    this.#heartbeat = setInterval(keepAlive, options.ackWaitMs / 3);
    this.#heartbeat.unref();
    // Starts at 0, because Prometheus does not count the first step of a counter as an increase.
    instruments().eventFailures.add(0, { consumer: options.durable });
    instruments().poisonEvents.add(0, { consumer: options.durable });
  }

  add(message: JsMsg): void {
    this.#queue.push(message);
    this.#processing ??= this.#processQueue();
  }

  /** Delays acknowledgements, because the stream may be created again. */
  hold(): void {
    this.#settlements.hold();
  }

  /** Continues with the stream that was created at `origin`; messages of an earlier one are dropped. */
  resume(origin: string): void {
    if (origin !== this.#settlements.origin) this.#queue = [];
    this.#settlements.resume(origin);
  }

  async finish(): Promise<void> {
    const rest = this.#queue;
    this.#queue = [];
    for (const message of rest) this.#settlements.settle(this.#settlements.origin, () => message.nak());
    await this.#processing;
    await Promise.all(this.#storing);
    clearInterval(this.#heartbeat);
  }

  async #processQueue(): Promise<void> {
    // Waits for one turn of the event loop, so that messages that arrive together are handled together.
    await new Promise(resolve => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const messages = this.#queue.splice(0, this.options.batchSize);
      const origin = this.#settlements.origin;
      this.#current = messages;
      // Unacknowledged messages are delivered again; the loop must continue.
      await this.#take(messages, origin).catch(error =>
        reportCallbackError(this.options.log, this.options.durable, error),
      );
      this.#current = [];
      if (messages.length < this.options.batchSize / 4)
        await pause(COLLECT_MS, undefined, { signal: this.options.stopping }).catch(() => {});
    }
    this.#processing = undefined;
  }

  async #take(messages: readonly JsMsg[], origin: string): Promise<void> {
    const known: Item[] = [];
    const suspects: Item[] = [];
    for (const message of messages) {
      const item = this.#read(message, origin);
      if (item) (this.#suspects.has(item.envelope.id) ? suspects : known).push(item);
    }
    if (known.length > 0) await this.#handleUntilSettled(known);
    for (const item of suspects) if (!(await this.#attempt([item]))) this.#setAside(item);
  }

  /** Undefined for invalid messages, unwanted types and events that do not match their contract. */
  #read(message: JsMsg, origin: string): Item | undefined {
    // JetStream stores a message that it copies into another stream under its original subject.
    const isOfSource = message.subject.startsWith(this.#subjectPrefix) && !isFromAnotherStream(message);
    const { calls } = this.options;
    // Most messages of a stream are of no interest to a consumer of rare events, so they are not parsed.
    if (isOfSource && !calls.wantsSubject(message.subject)) {
      this.#settlements.settle(origin, () => message.ack());
      return undefined;
    }
    const envelope = isOfSource ? readEnvelope(message) : undefined;
    if (!envelope) {
      // Not the subject, which a sender can vary with each message.
      this.#malformed.note(
        streamNameOf(this.options.source),
        isOfSource ? 'not an event' : 'not published by the service of the stream',
      );
      // Terminated, because no release publishes such a message and it would block the removal of later events.
      this.#settlements.settle(origin, () => message.term());
      return undefined;
    }
    if (!calls.wants(envelope.type)) {
      this.#settlements.settle(origin, () => message.ack());
      return undefined;
    }
    try {
      return { message, origin, envelope: calls.read(envelope) };
    } catch (error) {
      this.#lastError = error;
      this.#setAside({ message, origin, envelope });
      return undefined;
    }
  }

  async #handleUntilSettled(first: readonly Item[]): Promise<void> {
    const { stopping, retries } = this.options;
    let items = first;
    for (;;) {
      for (const delay of retries.batchMs) {
        if (await this.#attempt(items)) return;
        await pause(delay, undefined, { signal: stopping }).catch(() => {});
        if (stopping.aborted) return this.#release(items);
      }
      items = [...items, ...this.#laterArrivals(items.length)];
      const failing = await this.#isolate(items);
      if (failing.length < items.length) {
        for (const item of failing) this.#setAside(item);
        return;
      }
      const { durable, log } = this.options;
      log.error(
        { durable, events: items.length, retryMs: retries.outageMs },
        'Every event of a batch fails; the batch will be retried',
      );
      await pause(retries.outageMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return this.#release(items);
    }
  }

  /**
   * Adds events that arrived later: only an event that succeeds where another fails distinguishes a poisoned event
   * from an outage.
   */
  #laterArrivals(taken: number): readonly Item[] {
    const messages = this.#queue.splice(0, Math.max(0, this.options.batchSize - taken));
    this.#current.push(...messages);
    return messages.map(message => this.#read(message, this.#settlements.origin)).filter(item => item !== undefined);
  }

  /**
   * Divides a failing batch until single events are left.
   * @returns the events that fail alone.
   */
  async #isolate(items: readonly Item[]): Promise<readonly Item[]> {
    if (items.length === 1) return (await this.#attempt(items)) ? [] : items;
    const half = Math.ceil(items.length / 2);
    const failing: Item[] = [];
    for (const part of [items.slice(0, half), items.slice(half)]) {
      if (this.options.stopping.aborted) failing.push(...part);
      else if (!(await this.#attempt(part))) failing.push(...(part.length > 1 ? await this.#isolate(part) : part));
    }
    return failing;
  }

  async #attempt(items: readonly Item[]): Promise<boolean> {
    const failure = await this.options.calls.call(items.map(({ envelope }) => envelope));
    if (failure) {
      this.#lastError = failure.error;
      return false;
    }
    for (const { message, origin, envelope } of items) {
      this.#suspects.delete(envelope.id);
      this.#settlements.settle(origin, () => message.ack());
    }
    return true;
  }

  #setAside(item: Item): void {
    if (this.options.stopping.aborted) {
      this.#release([item]);
      return;
    }
    const stored = this.#keep(item, this.#lastError);
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  /** Stores the event and acknowledges it. If it cannot be stored, the stream delivers it again. */
  async #keep({ message, envelope, origin }: Item, error: unknown): Promise<void> {
    const { setAside, durable, log, retries } = this.options;
    const failures = this.#suspects.get(envelope.id) ?? 0;
    const delay = Backoff.delayAt(failures, retries.poisonMs);
    const { id: event, type, metadata } = envelope;
    instruments().poisonEvents.add(1, { consumer: durable });
    log.error(
      { event, type, correlationId: metadata.correlation_id, err: error, retryMs: delay, durable },
      'An event cannot be handled and is set aside',
    );
    try {
      if (!setAside) throw new Error('this service has no store for set-aside events');
      await setAside.keep(durable, envelope, { error: describeError(error), retryAfterMs: delay });
      this.#suspects.delete(event);
      this.#settlements.settle(origin, () => message.ack());
    } catch (storeError) {
      if (setAside)
        log.warn({ err: storeError, event, durable }, 'An event could not be set aside; it will be delivered again');
      this.#suspects.set(event, failures + 1);
      this.#settlements.settle(origin, () => message.nak(delay));
    }
  }

  #release(items: readonly Item[]): void {
    for (const { message, origin } of items) this.#settlements.settle(origin, () => message.nak());
  }

  /** Keeps messages assigned to this process; the server redelivers them after the ack wait otherwise. */
  #keepAlive(): void {
    if (this.#settlements.isHolding) return;
    for (const message of [...this.#current, ...this.#queue]) message.working();
  }
}
