import { Refusal, type RequestInput, recordClick, recordOpen } from '@postern/contracts';
import { type Log, runInContext } from '@postern/messaging';
import { type Asker, Services, ServiceUnavailable } from '../ports.js';

/** An open or a click as delivery-tracking wants to hear of it. */
export type Engagement =
  | { readonly contract: typeof recordOpen; readonly seen: RequestInput<typeof recordOpen> }
  | { readonly contract: typeof recordClick; readonly seen: RequestInput<typeof recordClick> };

interface Waiting {
  readonly engagement: Engagement;
  readonly asker: Asker;
  readonly over: () => void;
  faults: number;
}

const CAPACITY = 10_000;
const AT_ONCE = 32;
/** An engagement that delivery-tracking answers with a fault, not with silence, is given up after so many. */
const MAX_FAULTS = 3;
/** How long a reader may notice that delivery-tracking is slow. */
const PATIENCE_MS = 250;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Tells delivery-tracking of opens and clicks. Whoever reads the mail is answered when it knows, so that the end of this
 * process loses nothing; but they hardly wait for it, and not at all while it is known not to answer. Until it does,
 * what it was not told waits in memory, at most 10,000; what comes beyond that is lost and counted in the log.
 */
export class EngagementRecorder {
  private readonly waiting: Waiting[] = [];
  private inFlight = 0;
  private lost = 0;
  private pauseMs = 0;
  private pump: Promise<void> | undefined;
  private endPause: (() => void) | undefined;
  private closed = false;

  constructor(
    private readonly services: Services,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  get queued(): number {
    return this.waiting.length + this.inFlight;
  }

  /** Resolves when the reader may be answered; never rejects. */
  async record(engagement: Engagement, asker: Asker): Promise<void> {
    if (this.queued >= CAPACITY) {
      if (this.lost++ === 0) this.log.error({}, 'The queue of opens and clicks is full; new ones are being lost');
      return;
    }
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.waiting.push({ engagement, asker, over: resolve, faults: 0 });
    this.pump ??= this.work();
    if (this.pauseMs > 0) return;
    const patience = sleep(PATIENCE_MS);
    await Promise.race([over, patience.done]);
    patience.end();
  }

  /** Tells what is still untold, for at most `limitMs`; the rest is lost with a line in the log. */
  async drain(limitMs: number): Promise<void> {
    const limit = sleep(limitMs);
    this.pauseMs = 0;
    this.endPause?.();
    await Promise.race([this.pump, limit.done]);
    limit.end();
    this.closed = true;
    this.endPause?.();
    if (this.queued > 0) this.log.error({ lost: this.queued }, 'Opens and clicks could not be recorded before the end');
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0 && !this.closed) {
      const taken = this.waiting.splice(0, AT_ONCE);
      this.inFlight = taken.length;
      const outcomes = await Promise.all(taken.map(one => this.tell(one)));
      this.inFlight = 0;
      for (const [index, { over }] of taken.entries()) if (outcomes[index] === 'done') over();
      const back = taken.filter((_, index) => outcomes[index] === 'again');
      this.waiting.unshift(...back);
      if (back.length > 0) await this.pause();
      else this.reportRecovery();
    }
    // In the same step as the last look at the queue, so that nothing can slip in between.
    this.pump = undefined;
  }

  private async tell(waiting: Waiting): Promise<'done' | 'again'> {
    const { engagement, asker } = waiting;
    try {
      if (engagement.contract === recordOpen) await this.services.ask(recordOpen, engagement.seen, asker);
      else await this.services.ask(recordClick, engagement.seen as RequestInput<typeof recordClick>, asker);
      return 'done';
    } catch (error) {
      if (error instanceof ServiceUnavailable) return 'again';
      waiting.faults += 1;
      if (!Refusal.is(error) && waiting.faults < MAX_FAULTS) return 'again';
      runInContext(asker, () => this.log.error({ err: error }, 'An open or click could not be recorded'));
      return 'done';
    }
  }

  private reportRecovery(): void {
    this.pauseMs = 0;
    if (this.lost === 0) return;
    this.log.error({ lost: this.lost }, 'Opens and clicks were lost while delivery-tracking did not answer');
    this.lost = 0;
  }

  private async pause(): Promise<void> {
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2 || FIRST_PAUSE_MS);
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
