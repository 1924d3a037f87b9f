import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../backoff.js';
import { reportCallbackError } from '../guard.js';
import type { Log } from '../log.js';
import type { HandlerCalls, HandlerResult } from './handler-calls.js';
import type { SetAsideEvent, SetAsideEvents } from './set-aside-events.js';

export interface SetAsideRetriesOptions {
  /** The consumer whose events it retries. */
  readonly consumer: string;
  readonly log: Log;
  readonly calls: HandlerCalls;
  readonly store: SetAsideEvents;
  /** Delays of an event that fails alone, in milliseconds; the last one repeats. */
  readonly retryMs: readonly [number, ...number[]];
  readonly stopping: AbortSignal;
}

const POLL_MS = 2_000;
/** Longer than the time limit of a handler. */
const LEASE_MS = 90_000;

/** Retries the set-aside events of a consumer, one by one, until they succeed or are discarded. */
export class SetAsideRetries {
  #running: Promise<void> | undefined;

  constructor(private readonly options: SetAsideRetriesOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the current event is handled. Abort the signal before. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { consumer, log, store, stopping, retryMs } = this.options;
    const pollMs = Math.min(POLL_MS, retryMs[0]);
    while (!stopping.aborted) {
      try {
        while (!stopping.aborted) {
          // One event at a time, because the lease covers one call of the handler.
          const event = await store.takeDue(consumer, LEASE_MS);
          if (!event) break;
          await this.#retry(event);
        }
      } catch (error) {
        reportCallbackError(log, `${consumer} set-aside events`, error);
      }
      await pause(pollMs, undefined, { signal: stopping }).catch(() => {});
    }
  }

  async #retry({ consumer, envelope, failures }: SetAsideEvent): Promise<void> {
    const { log, store, retryMs } = this.options;
    const outcome = await this.#attempt(consumer, envelope);
    if ('error' in outcome) {
      const retryAfterMs = Backoff.delayAt(failures, retryMs);
      await store.failedAgain(consumer, envelope.id, { error: describeError(outcome.error), retryAfterMs });
    } else if (outcome.result)
      log.info({ consumer, event: envelope.id, type: envelope.type, failures }, 'A set-aside event was handled');
  }

  async #attempt(consumer: string, envelope: SetAsideEvent['envelope']): Promise<HandlerResult<boolean>> {
    const { calls, store } = this.options;
    try {
      return await calls.call([calls.read(envelope)], effect => store.settle(consumer, envelope.id, effect));
    } catch (error) {
      return { error };
    }
  }
}

const LONGEST_ERROR = 2_000;

/** @returns the message of an error, truncated for a report. */
export const describeError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR);
