import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { guarded, reportCallbackError } from '../guard.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import { type Envelope, type HandlerCalls, readEnvelope } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { describe } from './set-aside-retries.js';

export interface EventWorkOptions {
  readonly log: Log;
  readonly durable: string;
  readonly calls: HandlerCalls;
  /** Where events go that fail alone; without it they stay in the stream and come again. */
  readonly setAside: SetAsideEvents | undefined;
  readonly batchSize: number;
  readonly ackWaitMs: number;
  readonly stopping: AbortSignal;
  readonly retries: EventRetries;
}

interface Item {
  readonly message: JsMsg;
  /** Creation time of the stream it came from. */
  readonly origin: string;
  readonly envelope: Envelope;
}

/** How patiently a failing handler is called again, in milliseconds. */
export interface EventRetries {
  /** Pauses before a failing batch is halved. */
  readonly batchMs: readonly number[];
  /** Pause of a batch of which nothing succeeds. */
  readonly outageMs: number;
  /** Delays of an event that fails alone; the last one repeats. */
  readonly poisonMs: readonly number[];
}

export const PATIENT: EventRetries = {
  batchMs: [100, 400, 1_600],
  outageMs: 5_000,
  poisonMs: [5_000, 30_000, 120_000, 600_000],
};

/**
 * After a small batch, how long the next one may gather. A transaction costs the same for one event as for thirty, and
 * the first event after a quiet moment waits for nobody.
 */
const GATHER_MS = 30;

/**
 * Works off what was delivered, batch by batch, in order. A failing batch is repeated; if it keeps failing it is
 * halved until the events that fail alone are found. Those are set aside and handled again later; if nothing succeeds
 * at all, it is an outage and the whole batch waits in its place.
 */
export class EventWork {
  readonly #suspects = new Map<string, number>();
  #queue: JsMsg[] = [];
  #current: JsMsg[] = [];
  readonly #malformed: MalformedReport;
  #origin = '';
  /** Settlements made while it is unknown whether the stream is still the one the messages came from. */
  #held: { origin: string; settle: () => void }[] | undefined = [];
  #working: Promise<void> | undefined;
  readonly #storing = new Set<Promise<void>>();
  /** Why the last call of the handler failed. */
  #lastError: unknown;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(private readonly options: EventWorkOptions) {
    this.#malformed = new MalformedReport(options.log);
    const keepAlive = guarded(options.log, 'keep events', () => this.#keepAlive());
    this.#heartbeat = setInterval(keepAlive, options.ackWaitMs / 3);
    this.#heartbeat.unref();
    // A counter that begins with its first failure has not risen, as Prometheus sees it.
    instruments().eventFailures.add(0, { consumer: options.durable });
    instruments().poisonEvents.add(0, { consumer: options.durable });
  }

  add(message: JsMsg): void {
    this.#queue.push(message);
    this.#working ??= this.#workOff();
  }

  /** From now on acknowledgements wait: an old one would take a new event with the same number off a new stream. */
  hold(): void {
    this.#held ??= [];
  }

  /** The stream that was created at `origin` is there; what came from an earlier one is forgotten. */
  resume(origin: string): void {
    if (origin !== this.#origin) this.#queue = [];
    this.#origin = origin;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { origin: from, settle } of held) if (from === origin) settle();
  }

  async finish(): Promise<void> {
    const rest = this.#queue;
    this.#queue = [];
    for (const message of rest) this.#settle(this.#origin, () => message.nak());
    await this.#working;
    await Promise.all(this.#storing);
    clearInterval(this.#heartbeat);
  }

  async #workOff(): Promise<void> {
    // One turn of the event loop, so that what arrives together is handled together.
    await new Promise(resolve => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const messages = this.#queue.splice(0, this.options.batchSize);
      const origin = this.#origin;
      this.#current = messages;
      // Unacknowledged, they come again; the queue must not stop with them.
      await this.#take(messages, origin).catch(error =>
        reportCallbackError(this.options.log, this.options.durable, error),
      );
      this.#current = [];
      if (messages.length < this.options.batchSize / 4)
        await pause(GATHER_MS, undefined, { signal: this.options.stopping }).catch(() => {});
    }
    this.#working = undefined;
  }

  async #take(messages: readonly JsMsg[], origin: string): Promise<void> {
    const known: Item[] = [];
    const suspects: Item[] = [];
    for (const message of messages) {
      const item = this.#read(message, origin);
      if (item) (this.#suspects.has(item.envelope.id) ? suspects : known).push(item);
    }
    if (known.length > 0) await this.#handleStubbornly(known);
    for (const item of suspects) if (!(await this.#attempt([item]))) this.#setAside(item);
  }

  /** Undefined for what is no event, for unwanted types, and for events that do not fit their contract. */
  #read(message: JsMsg, origin: string): Item | undefined {
    const envelope = readEnvelope(message);
    if (!envelope) {
      this.#malformed.note(message.subject, 'not an event');
      // Kept, it would hold its place in the stream for ever: no release publishes such a message.
      this.#settle(origin, () => message.term());
      return undefined;
    }
    const { calls } = this.options;
    if (!calls.wants(envelope.type)) {
      this.#settle(origin, () => message.ack());
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

  async #handleStubbornly(first: readonly Item[]): Promise<void> {
    const { stopping, retries } = this.options;
    let items = first;
    for (;;) {
      for (const delay of retries.batchMs) {
        if (await this.#attempt(items)) return;
        await pause(delay, undefined, { signal: stopping }).catch(() => {});
        if (stopping.aborted) return this.#giveBack(items);
      }
      items = [...items, ...this.#joining(items.length)];
      const failing = await this.#isolate(items);
      if (failing.length < items.length) {
        for (const item of failing) this.#setAside(item);
        return;
      }
      const { durable, log } = this.options;
      log.error(
        { durable, events: items.length, retryMs: retries.outageMs },
        'Every event fails: waiting for better times',
      );
      await pause(retries.outageMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return this.#giveBack(items);
    }
  }

  /**
   * What arrived behind a failing batch, as far as there is room: only an event that succeeds where another fails tells
   * a poisoned event from an outage, and an event that nobody waits behind keeps its place.
   */
  #joining(taken: number): readonly Item[] {
    const messages = this.#queue.splice(0, Math.max(0, this.options.batchSize - taken));
    this.#current.push(...messages);
    return messages.map(message => this.#read(message, this.#origin)).filter(item => item !== undefined);
  }

  /** Handles what can be handled in ever smaller parts, and answers the events that fail alone. */
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
      this.#settle(origin, () => message.ack());
    }
    return true;
  }

  #setAside(item: Item): void {
    if (this.options.stopping.aborted) {
      this.#giveBack([item]);
      return;
    }
    const stored = this.#keep(item, this.#lastError);
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  /** Stores the event and acknowledges it; where it cannot be stored, the stream delivers it again. */
  async #keep({ message, envelope, origin }: Item, error: unknown): Promise<void> {
    const { setAside, durable, log, retries } = this.options;
    const failures = (this.#suspects.get(envelope.id) ?? 0) + 1;
    const delay = retries.poisonMs[Math.min(failures, retries.poisonMs.length) - 1] ?? retries.outageMs;
    const { id: event, type, metadata } = envelope;
    instruments().poisonEvents.add(1, { consumer: durable });
    log.error(
      { event, type, correlationId: metadata.correlation_id, err: error, retryMs: delay, durable },
      'An event cannot be handled and is set aside',
    );
    try {
      if (!setAside) throw new Error('nowhere to keep it');
      await setAside.keep(durable, envelope, { error: describe(error), retryAfterMs: delay });
      this.#suspects.delete(event);
      this.#settle(origin, () => message.ack());
    } catch (storeError) {
      if (setAside) log.warn({ err: storeError, event, durable }, 'An event could not be stored as set aside');
      this.#suspects.set(event, failures);
      this.#settle(origin, () => message.nak(delay));
    }
  }

  #giveBack(items: readonly Item[]): void {
    for (const { message, origin } of items) this.#settle(origin, () => message.nak());
  }

  #settle(origin: string, settle: () => void): void {
    if (this.#held) this.#held.push({ origin, settle });
    else if (origin === this.#origin) settle();
  }

  /** The server gives a message to somebody else when it hears nothing of it for its ack wait. */
  #keepAlive(): void {
    if (this.#held) return;
    for (const message of [...this.#current, ...this.#queue]) message.working();
  }
}
