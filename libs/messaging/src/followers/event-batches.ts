import { setTimeout as pause } from 'node:timers/promises';
import { eventEnvelope } from '@postern/contracts';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import type { Envelope, HandlerCalls } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { describeError } from './set-aside-retries.js';

export interface EventBatchesOptions {
  readonly log: Log;
  readonly consumer: string;
  readonly calls: HandlerCalls;
  /** Stores events that fail alone. */
  readonly setAside: SetAsideEvents;
  readonly retries: EventRetries;
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

interface Failure {
  readonly envelope: Envelope;
  readonly error: unknown;
}

/**
 * Handles the events of a page, in order. A failing batch is retried, then divided until the events that fail alone are
 * found; those are set aside. If every event fails, it is an outage, and the whole batch waits.
 */
export class EventBatches {
  readonly #malformed: MalformedReport;

  constructor(private readonly options: EventBatchesOptions) {
    this.#malformed = new MalformedReport(options.log);
    // Starts at 0, because Prometheus does not count the first step of a counter as an increase.
    instruments().eventFailures.add(0, { consumer: options.consumer });
    instruments().poisonEvents.add(0, { consumer: options.consumer });
  }

  /** @returns whether the consumer may continue after the batch; false for one that has to be handled again. */
  async handle(events: readonly unknown[], stop: AbortSignal): Promise<boolean> {
    const { batch, unreadable } = this.#read(events);
    const failing = batch.length > 0 ? await this.#settle(batch, stop) : [];
    if (!failing) return false;
    for (const failure of [...unreadable, ...failing]) await this.#setAside(failure);
    return true;
  }

  #read(events: readonly unknown[]): { batch: readonly Envelope[]; unreadable: readonly Failure[] } {
    const batch: Envelope[] = [];
    const unreadable: Failure[] = [];
    for (const event of events) {
      const parsed = eventEnvelope.safeParse(event);
      if (!parsed.success) {
        this.#malformed.note(this.options.consumer, 'not an event');
        continue;
      }
      try {
        batch.push(this.options.calls.read(parsed.data));
      } catch (error) {
        unreadable.push({ envelope: parsed.data, error });
      }
    }
    return { batch, unreadable };
  }

  /** @returns the events that fail alone; undefined if the batch has to be handled again. */
  async #settle(batch: readonly Envelope[], stop: AbortSignal): Promise<readonly Failure[] | undefined> {
    const { retries, log, consumer, calls } = this.options;
    for (const delay of retries.batchMs) {
      if (!(await calls.call(batch))) return [];
      await waitFor(delay, stop);
      if (stop.aborted) return undefined;
    }
    const failing = await this.#isolate(batch, stop);
    if (stop.aborted) return undefined;
    if (failing.length < batch.length) return failing;
    log.error(
      { consumer, events: batch.length, retryMs: retries.outageMs },
      'Every event of a batch fails; the batch will be retried',
    );
    // Read again afterwards: later events tell an event that fails alone from an outage.
    await waitFor(retries.outageMs, stop);
    return undefined;
  }

  /** Divides a failing batch until single events are left. */
  async #isolate(batch: readonly Envelope[], stop: AbortSignal): Promise<readonly Failure[]> {
    const failure = stop.aborted ? { error: undefined } : await this.options.calls.call(batch);
    if (!failure) return [];
    const [envelope] = batch;
    if (batch.length === 1 && envelope) return [{ envelope, error: failure.error }];
    const half = Math.ceil(batch.length / 2);
    const first = await this.#isolate(batch.slice(0, half), stop);
    return [...first, ...(await this.#isolate(batch.slice(half), stop))];
  }

  async #setAside({ envelope, error }: Failure): Promise<void> {
    const { setAside, consumer, log, retries } = this.options;
    const { id: event, type, metadata } = envelope;
    const [retryMs] = retries.poisonMs;
    await setAside.keep(consumer, envelope, { error: describeError(error), retryAfterMs: retryMs });
    instruments().poisonEvents.add(1, { consumer });
    log.error(
      { event, type, correlationId: metadata.correlation_id, err: error, retryMs, consumer },
      'An event cannot be handled and is set aside',
    );
  }
}

const waitFor = (ms: number, stop: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal: stop }).catch(() => undefined);
