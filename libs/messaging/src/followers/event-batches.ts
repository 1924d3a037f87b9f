import { setTimeout as pause } from 'node:timers/promises';
import { eventEnvelope } from '@postern/contracts';
import { instruments } from '../instruments.js';
import type { Log } from '../log.js';
import { MalformedReport } from '../malformed.js';
import type { Envelope, HandlerCalls, HandlerResult, InTransaction } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { describeError } from './set-aside-retries.js';

export interface EventBatchesOptions {
  readonly log: Log;
  readonly consumer: string;
  readonly calls: HandlerCalls;
  /** Runs an effect in a transaction that is undone. */
  readonly rehearse: InTransaction<void>;
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
 * Handles the events of a page in order, in one transaction. A failing batch is retried, then divided until the events that
 * fail alone are found; those are set aside. If every event fails, it is an outage, and the whole batch waits.
 */
export class EventBatches {
  readonly #malformed: MalformedReport;

  constructor(private readonly options: EventBatchesOptions) {
    this.#malformed = new MalformedReport(options.log);
    // Starts at 0, because Prometheus does not count the first step of a counter as an increase.
    instruments().eventFailures.add(0, { consumer: options.consumer });
    instruments().poisonEvents.add(0, { consumer: options.consumer });
  }

  /**
   * @param commit moves the position past the page in one transaction with an effect.
   * @returns whether it was moved; otherwise the page has to be handled again, or another replica has handled it.
   */
  async handle(events: readonly unknown[], commit: InTransaction<boolean>, stop: AbortSignal): Promise<boolean> {
    const { retries, log, consumer } = this.options;
    const { batch, unreadable } = this.#read(events);
    for (const delay of retries.batchMs) {
      const outcome = await this.#attempt(batch, unreadable, commit);
      if ('result' in outcome) return outcome.result;
      await waitFor(delay, stop);
      if (stop.aborted) return false;
    }
    const failing = await this.#isolate(batch, stop);
    if (stop.aborted) return false;
    if (failing.length < batch.length) return this.#without(batch, [...unreadable, ...failing], commit);
    log.error(
      { consumer, events: batch.length, retryMs: retries.outageMs },
      'Every event of a batch fails; the batch will be retried',
    );
    // Read again afterwards: later events tell an event that fails alone from an outage.
    await waitFor(retries.outageMs, stop);
    return false;
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

  /** Handles a batch and sets other events aside, in one transaction. */
  async #attempt(
    batch: readonly Envelope[],
    failures: readonly Failure[],
    commit: InTransaction<boolean>,
  ): Promise<HandlerResult<boolean>> {
    const commitWithFailures: InTransaction<boolean> = effect =>
      commit(async transaction => {
        await effect(transaction);
        for (const failure of failures) await this.#keep(transaction, failure);
      });
    const outcome =
      batch.length > 0
        ? await this.options.calls.call(batch, commitWithFailures)
        : { result: await commitWithFailures(async () => undefined) };
    if ('result' in outcome && outcome.result) for (const failure of failures) this.#report(failure);
    return outcome;
  }

  async #without(
    batch: readonly Envelope[],
    failures: readonly Failure[],
    commit: InTransaction<boolean>,
  ): Promise<boolean> {
    const failed = new Set(failures.map(({ envelope }) => envelope));
    const outcome = await this.#attempt(
      batch.filter(envelope => !failed.has(envelope)),
      failures,
      commit,
    );
    return 'result' in outcome && outcome.result;
  }

  /** Divides a failing batch until single events are left, without committing anything. */
  async #isolate(batch: readonly Envelope[], stop: AbortSignal): Promise<readonly Failure[]> {
    const { calls, rehearse } = this.options;
    const outcome = stop.aborted ? { error: undefined } : await calls.call(batch, rehearse);
    if ('result' in outcome) return [];
    const [envelope] = batch;
    if (batch.length === 1 && envelope) return [{ envelope, error: outcome.error }];
    const half = Math.ceil(batch.length / 2);
    const first = await this.#isolate(batch.slice(0, half), stop);
    return [...first, ...(await this.#isolate(batch.slice(half), stop))];
  }

  async #keep(transaction: unknown, { envelope, error }: Failure): Promise<void> {
    const { setAside, consumer, retries } = this.options;
    const failure = { error: describeError(error), retryAfterMs: retries.poisonMs[0] };
    await setAside.keep(transaction, consumer, envelope, failure);
  }

  #report({ envelope: { id: event, type, metadata }, error }: Failure): void {
    const { consumer, log, retries } = this.options;
    instruments().poisonEvents.add(1, { consumer });
    log.error(
      { event, type, correlationId: metadata.correlation_id, err: error, retryMs: retries.poisonMs[0], consumer },
      'An event cannot be handled and is set aside',
    );
  }
}

const waitFor = (ms: number, stop: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal: stop }).catch(() => undefined);
