import type { OnApplicationShutdown } from '@nestjs/common';
import { Refusal, type RequestInput, recordClick, recordOpen } from '@postern/contracts';
import { type Log, type RequestContext, runInContext, ServiceUnavailable } from '@postern/messaging';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

/** An open or a click, with the request to delivery-tracking. */
export type Engagement =
  | { readonly contract: typeof recordOpen; readonly details: RequestInput<typeof recordOpen> }
  | { readonly contract: typeof recordClick; readonly details: RequestInput<typeof recordClick> };

/** Stores engagements so that they survive the gateway, until delivery-tracking processes them. */
export interface EngagementQueue {
  /** @throws if it is unknown whether the engagement is stored. */
  add(engagement: Engagement, context: RequestContext): Promise<void>;
}

interface QueuedEngagement {
  readonly engagement: Engagement;
  readonly context: RequestContext;
  readonly settled: () => void;
  faults: number;
  /** Whether the durable queue also contains it. */
  isStored: boolean;
}

const CAPACITY = 10_000;
const BATCH_SIZE = 32;
/** Maximum number of internal errors, after which an engagement is dropped. */
const MAX_FAULTS = 3;
/** After this time the engagement is added to the durable queue. */
const QUEUED_AFTER_MS = 250;
/** How long the response to the reader of the mail waits for delivery-tracking, or for the durable queue. */
const READER_WAIT_MS = 500;
const FIRST_PAUSE_MS = 250;
/** Short, because engagements that are only in memory are lost if the gateway is killed. */
const MAX_PAUSE_MS = 1_000;

/**
 * Records opens and clicks in delivery-tracking; after 250 ms also in its durable queue. The reader gets a response
 * after 500 ms at the latest. Up to 10,000 engagements stay in memory until they are recorded; delivery-tracking
 * ignores repetitions.
 */
export class EngagementRecorder implements OnApplicationShutdown {
  readonly #queue: QueuedEngagement[] = [];
  #inFlight: readonly QueuedEngagement[] = [];
  #dropped = 0;
  #pauseMs = 0;
  #worker: Promise<void> | undefined;
  #endPause: (() => void) | undefined;
  #closed = false;

  constructor(
    private readonly services: ServiceClient,
    private readonly durable: EngagementQueue,
    private readonly log: Pick<Log, 'error'>,
    private readonly drainTimeoutMs = 0,
  ) {}

  get queued(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /** Resolves once the reader may get a response; never rejects. */
  async record(engagement: Engagement, context: RequestContext): Promise<void> {
    if (this.queued >= CAPACITY && !this.#forgetStored()) {
      if (this.#dropped++ === 0) this.log.error({}, 'The queue of opens and clicks is full; new ones are dropped');
      return;
    }
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    const queued: QueuedEngagement = { engagement, context, settled: resolve, faults: 0, isStored: false };
    const isUnavailable = this.#pauseMs > 0;
    this.#queue.push(queued);
    this.#worker ??= this.#work();
    const wait = sleep(READER_WAIT_MS);
    await Promise.race([settled, isUnavailable ? this.#store(queued) : this.#storeIfLate(queued, settled), wait.done]);
    wait.end();
  }

  /** Runs after the server has closed, so that no engagement is added later. */
  onApplicationShutdown(): Promise<void> {
    return this.drain(this.drainTimeoutMs);
  }

  /** Records or stores the queued engagements, for at most `limitMs`; logs and drops the rest. */
  async drain(limitMs: number): Promise<void> {
    const limit = sleep(limitMs);
    this.#pauseMs = 0;
    this.#endPause?.();
    await Promise.race([this.#worker, limit.done]);
    limit.end();
    this.#closed = true;
    this.#endPause?.();
    const lost = [...this.#queue, ...this.#inFlight].filter(({ isStored }) => !isStored).length;
    if (lost > 0) this.log.error({ lost }, 'Opens and clicks were not recorded before the shutdown');
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closed) {
      // After a failure, a single engagement probes whether delivery-tracking is available again.
      const batch = this.#queue.splice(0, this.#pauseMs > 0 ? 1 : BATCH_SIZE);
      this.#inFlight = batch;
      const results = await Promise.all(batch.map(queued => this.#send(queued)));
      this.#inFlight = [];
      for (const [index, { settled }] of batch.entries()) if (results[index] === 'done') settled();
      const retries = batch.filter((_, index) => results[index] === 'retry');
      this.#queue.unshift(...retries);
      if (retries.length > 0) await this.#pause();
      else this.#reportRecovery();
    }
    // Synchronous with the check of the queue, so that no new engagement remains without a worker.
    this.#worker = undefined;
  }

  async #send(queued: QueuedEngagement): Promise<'done' | 'retry'> {
    const { engagement, context } = queued;
    try {
      if (engagement.contract === recordOpen) await this.services.request(recordOpen, engagement.details, context);
      else await this.services.request(recordClick, engagement.details as RequestInput<typeof recordClick>, context);
      return 'done';
    } catch (error) {
      if (error instanceof ServiceUnavailable) return 'retry';
      queued.faults += 1;
      if (!Refusal.is(error) && queued.faults < MAX_FAULTS) return 'retry';
      runInContext(context, () => this.log.error({ err: error }, 'An open or click could not be recorded'));
      return 'done';
    }
  }

  async #storeIfLate(queued: QueuedEngagement, settled: Promise<void>): Promise<void> {
    const late = sleep(QUEUED_AFTER_MS);
    const outcome = await Promise.race([settled.then(() => 'recorded'), late.done.then(() => 'late')]);
    late.end();
    if (outcome === 'late') await this.#store(queued);
  }

  /** @returns whether the durable queue contains the engagement; if not, it is only in memory. */
  async #store(queued: QueuedEngagement): Promise<boolean> {
    if (queued.isStored) return true;
    try {
      await this.durable.add(queued.engagement, queued.context);
      queued.isStored = true;
    } catch {
      // The next attempt follows within a second; final losses are logged.
    }
    return queued.isStored;
  }

  /** Stores engagements that are only in memory, until the durable queue refuses one. */
  async #storeAll(): Promise<void> {
    const unstored = this.#queue.filter(({ isStored }) => !isStored);
    for (let from = 0; from < unstored.length; from += BATCH_SIZE) {
      const stored = await Promise.all(unstored.slice(from, from + BATCH_SIZE).map(queued => this.#store(queued)));
      if (stored.includes(false)) return;
    }
  }

  /** Frees a slot by removing an engagement that is in the durable queue. */
  #forgetStored(): boolean {
    const index = this.#queue.findIndex(({ isStored }) => isStored);
    if (index >= 0) this.#queue.splice(index, 1);
    return index >= 0;
  }

  #reportRecovery(): void {
    this.#pauseMs = 0;
    if (this.#dropped === 0) return;
    this.log.error({ lost: this.#dropped }, 'Opens and clicks were dropped while delivery-tracking was unavailable');
    this.#dropped = 0;
  }

  async #pause(): Promise<void> {
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
    const pause = sleep(this.#pauseMs);
    this.#endPause = pause.end;
    await Promise.all([pause.done, this.#storeAll()]);
    this.#endPause = undefined;
  }
}

const sleep = (ms: number): { readonly done: Promise<void>; readonly end: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return {
    done: promise,
    end: () => {
      clearTimeout(timer);
      resolve();
    },
  };
};
