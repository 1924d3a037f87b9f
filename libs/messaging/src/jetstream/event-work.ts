import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { type EventContract, eventEnvelope } from '@postern/contracts';
import type { z } from 'zod';
import { runForRequest } from '../context.js';
import { guarded, reportCallbackError } from '../guard.js';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import { startSpan } from '../tracing.js';

type Envelope = z.output<typeof eventEnvelope>;

export type HandleEvents = (batch: readonly Envelope[]) => Promise<void>;

export interface EventWorkOptions {
  readonly log: Log;
  readonly durable: string;
  readonly contracts: readonly EventContract[];
  readonly batchSize: number;
  readonly ackWaitMs: number;
  readonly handle: HandleEvents;
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

/** A handler that takes longer counts as failed; its batch comes again. */
const HANDLER_LIMIT_MS = 60_000;

/**
 * Works off what was delivered, batch by batch, in order. A failing batch is repeated; if it keeps failing it is
 * halved until the events that fail alone are found. Those are put aside and come again later, for ever; if nothing
 * at all succeeds, the fault is taken for an outage and the whole batch waits in its place.
 */
export class EventWork {
  readonly #contracts: ReadonlyMap<string, EventContract>;
  readonly #suspects = new Map<string, number>();
  #queue: JsMsg[] = [];
  #current: JsMsg[] = [];
  readonly #malformed: MalformedReport;
  #origin = '';
  /** Settlements made while it is unknown whether the stream is still the one the messages came from. */
  #held: { origin: string; settle: () => void }[] | undefined = [];
  #working: Promise<void> | undefined;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(private readonly options: EventWorkOptions) {
    this.#contracts = new Map(options.contracts.map(contract => [contract.type, contract]));
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
    for (const item of suspects) if (!(await this.#attempt([item]))) this.#putAside(item);
  }

  /** Undefined for what is no event, for unwanted types, and for events that do not fit their contract. */
  #read(message: JsMsg, origin: string): Item | undefined {
    const envelope = envelopeIn(message);
    if (!envelope) {
      this.#malformed.note(message.subject, 'not an event');
      // Kept, it would hold its place in the stream for ever: no release publishes such a message.
      this.#settle(origin, () => message.term());
      return undefined;
    }
    try {
      const contract = this.#contracts.get(envelope.type);
      if (!contract) {
        this.#settle(origin, () => message.ack());
        return undefined;
      }
      return { message, origin, envelope: { ...envelope, data: contract.data.parse(envelope.data) } };
    } catch (error) {
      this.#reportPoison({ err: error, subject: message.subject, sequence: message.seq });
      const delay = this.#poisonDelay(message.info.deliveryCount);
      this.#settle(origin, () => message.nak(delay));
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
        for (const item of failing) this.#putAside(item);
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
    const { durable, log, handle } = this.options;
    const { batch, end } = this.#traced(items);
    const { metadata, id } = batch[0]!;
    const context = {
      correlationId: metadata.correlation_id,
      causationId: id,
      traceparent: metadata.traceparent,
      actor: metadata.actor,
    };
    const startedAt = performance.now();
    try {
      await runForRequest(context, undefined, () => withinLimit(handle(batch)));
      for (const { message, origin, envelope } of items) {
        this.#suspects.delete(envelope.id);
        this.#settle(origin, () => message.ack());
      }
      end();
      return true;
    } catch (error) {
      end(error);
      instruments().eventFailures.add(1, { consumer: durable });
      log.warn(
        { err: error, durable, events: items.length, first: id },
        'An event handler failed; it will be called again',
      );
      return false;
    } finally {
      instruments().eventDuration.record((performance.now() - startedAt) / 1_000, { consumer: durable });
    }
  }

  /** However many events are handled together, each goes on in its own trace: as a child of who published it. */
  #traced(items: readonly Item[]): { batch: readonly Envelope[]; end: (failure?: unknown) => void } {
    const spans = items.map(({ envelope: { id, type, metadata } }) =>
      startSpan(`process ${type}`, metadata.traceparent, {
        kind: 'consumer',
        attributes: {
          'messaging.system': 'nats',
          'messaging.operation.type': 'process',
          'messaging.consumer.group.name': this.options.durable,
          'messaging.message.id': id,
          'messaging.batch.message_count': items.length,
        },
      }),
    );
    const batch = items.map(({ envelope }, place) => {
      const traceparent = spans[place]?.traceparent;
      return traceparent ? { ...envelope, metadata: { ...envelope.metadata, traceparent } } : envelope;
    });
    return { batch, end: failure => spans.forEach(span => void span?.end(failure)) };
  }

  #putAside({ message, envelope, origin }: Item): void {
    if (this.options.stopping.aborted) {
      this.#settle(origin, () => message.nak());
      return;
    }
    const failures = (this.#suspects.get(envelope.id) ?? 0) + 1;
    this.#suspects.set(envelope.id, failures);
    const delay = this.#poisonDelay(failures);
    this.#reportPoison({
      event: envelope.id,
      type: envelope.type,
      correlationId: envelope.metadata.correlation_id,
      retryMs: delay,
    });
    this.#settle(origin, () => message.nak(delay));
  }

  #poisonDelay(failures: number): number | undefined {
    const { poisonMs } = this.options.retries;
    return poisonMs[Math.min(failures, poisonMs.length) - 1];
  }

  #reportPoison(fields: object): void {
    instruments().poisonEvents.add(1, { consumer: this.options.durable });
    this.options.log.error({ ...fields, durable: this.options.durable }, 'An event cannot be handled and is put aside');
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

const envelopeIn = (message: JsMsg): Envelope | undefined => {
  try {
    return eventEnvelope.safeParse(message.json()).data;
  } catch {
    return undefined;
  }
};

const withinLimit = async (work: Promise<void>): Promise<void> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end after ${HANDLER_LIMIT_MS} ms`)), HANDLER_LIMIT_MS);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
};
