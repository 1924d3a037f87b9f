import type { OnApplicationShutdown } from '@nestjs/common';
import { Refusal, type RequestInput, recordClick, recordOpen } from '@postern/contracts';
import { type Log, type RequestContext, runInContext } from '@postern/messaging';
import { type ServiceClient, ServiceUnavailable } from '../service-client/ports.js';

/** An open or a click, as the request to delivery-tracking. */
export type Engagement =
  | { readonly contract: typeof recordOpen; readonly details: RequestInput<typeof recordOpen> }
  | { readonly contract: typeof recordClick; readonly details: RequestInput<typeof recordClick> };

interface QueuedEngagement {
  readonly engagement: Engagement;
  readonly context: RequestContext;
  readonly settled: () => void;
  faults: number;
}

const CAPACITY = 10_000;
const BATCH_SIZE = 32;
/** An engagement that fails with an internal error is dropped after so many attempts. */
const MAX_FAULTS = 3;
/** How long the reader of the mail waits for the record. */
const READER_WAIT_MS = 250;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

/**
 * Records opens and clicks with delivery-tracking. The reader is answered when the record is made, after 250 ms, or at
 * once while delivery-tracking is unavailable; then up to 10,000 engagements wait in memory, and more are dropped.
 */
export class EngagementRecorder implements OnApplicationShutdown {
  private readonly queue: QueuedEngagement[] = [];
  private inFlight = 0;
  private dropped = 0;
  private pauseMs = 0;
  private worker: Promise<void> | undefined;
  private endPause: (() => void) | undefined;
  private closed = false;

  constructor(
    private readonly services: ServiceClient,
    private readonly log: Pick<Log, 'error'>,
    private readonly drainTimeoutMs = 0,
  ) {}

  get queued(): number {
    return this.queue.length + this.inFlight;
  }

  /** Resolves when the reader may be answered; never rejects. */
  async record(engagement: Engagement, context: RequestContext): Promise<void> {
    if (this.queued >= CAPACITY) {
      if (this.dropped++ === 0) this.log.error({}, 'The queue of opens and clicks is full; new ones are dropped');
      return;
    }
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    this.queue.push({ engagement, context, settled: resolve, faults: 0 });
    this.worker ??= this.work();
    if (this.pauseMs > 0) return;
    const wait = sleep(READER_WAIT_MS);
    await Promise.race([settled, wait.done]);
    wait.end();
  }

  /** Runs after the server has closed, so that no engagement is added later. */
  onApplicationShutdown(): Promise<void> {
    return this.drain(this.drainTimeoutMs);
  }

  /** Records what is queued, for at most `limitMs`; logs and drops the rest. */
  async drain(limitMs: number): Promise<void> {
    const limit = sleep(limitMs);
    this.pauseMs = 0;
    this.endPause?.();
    await Promise.race([this.worker, limit.done]);
    limit.end();
    this.closed = true;
    this.endPause?.();
    if (this.queued > 0)
      this.log.error({ lost: this.queued }, 'Opens and clicks were not recorded before the shutdown');
  }

  private async work(): Promise<void> {
    while (this.queue.length > 0 && !this.closed) {
      const batch = this.queue.splice(0, BATCH_SIZE);
      this.inFlight = batch.length;
      const results = await Promise.all(batch.map(queued => this.send(queued)));
      this.inFlight = 0;
      for (const [index, { settled }] of batch.entries()) if (results[index] === 'done') settled();
      const retries = batch.filter((_, index) => results[index] === 'retry');
      this.queue.unshift(...retries);
      if (retries.length > 0) await this.pause();
      else this.reportRecovery();
    }
    // Synchronous with the check of the queue, so that no new engagement is left without a worker.
    this.worker = undefined;
  }

  private async send(queued: QueuedEngagement): Promise<'done' | 'retry'> {
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

  private reportRecovery(): void {
    this.pauseMs = 0;
    if (this.dropped === 0) return;
    this.log.error({ lost: this.dropped }, 'Opens and clicks were dropped while delivery-tracking was unavailable');
    this.dropped = 0;
  }

  private async pause(): Promise<void> {
    this.pauseMs = Math.min(MAX_PAUSE_MS, this.pauseMs * 2 || FIRST_PAUSE_MS);
    const pause = sleep(this.pauseMs);
    this.endPause = pause.end;
    await pause.done;
    this.endPause = undefined;
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
