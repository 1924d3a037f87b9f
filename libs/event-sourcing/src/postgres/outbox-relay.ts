import { setTimeout as after } from 'node:timers/promises';
import type pg from 'pg';
import { comparePositions, type Position } from '../event.js';
import { BrokerLosses } from './broker-losses.js';
import { countAfter, lagAfter } from './feed.js';
import { isLed, withLeadership } from './leadership.js';
import { countFromZero, observeLag, observeState } from './observe-lag.js';
import { OutboxBlockage } from './outbox-blockage.js';
import { type Blockage, type Gap, OutboxCheckpoints } from './outbox-checkpoints.js';
import { OutboxProgress } from './outbox-progress.js';
import { OutboxPublishing } from './outbox-publishing.js';
import { PollLoop, type PollResult } from './poll-loop.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type Publisher, WRONG_SETTINGS } from './publisher.js';

export interface OutboxRelayOptions {
  readonly store: PostgresEventStore;
  readonly publisher: Publisher;
  /** The types of events that are published. */
  readonly types: readonly string[];
  readonly name?: string;
  readonly batchSize?: number;
  readonly pollMs?: number;
  /** Age limit of events that are published again when the broker has lost everything. */
  readonly lookBackDays?: number;
  readonly onError?: (error: unknown) => void;
  /** The broker has lost events, and they are published again. */
  readonly onRegression?: (cause: string) => void;
  /** Called once when the broker stops accepting events, and once when it accepts them again. */
  readonly onBlocked?: (blockage: Blockage) => void;
  readonly onUnblocked?: (blockage: Blockage) => void;
  /** A consumer misses events, and they are published again. */
  readonly onGap?: (gap: Gap) => void;
}

/** The state of the outbox for operators. */
export interface OutboxStatus {
  readonly leading: boolean;
  /** This replica or another one leads. */
  readonly led: boolean;
  /** The last sequence of the broker's stream in the saved checkpoint. */
  readonly brokerSequence: number | undefined;
  /** Events that wait to be published, counted up to 100,000. */
  readonly lag: number;
  readonly published: number;
  readonly lastError: string | undefined;
  readonly regressions: number;
  /** The reason why the broker accepts no events, on any leading replica. */
  readonly blockage: Blockage | undefined;
}

const RETRY_LEADERSHIP_MS = 1_000;
/**
 * The projection runner polls for the relay as well; this poll checks the broker, and finds events that the other poll
 * missed.
 */
const IDLE_MS = 1_000;

/** The state that exists while this process leads. */
interface Leading {
  readonly progress: OutboxProgress;
  readonly blockage: OutboxBlockage;
  readonly publishing: OutboxPublishing;
}

/**
 * Publishes a service's events in commit order. The event table is the outbox: nothing is deleted or marked; a checkpoint
 * records the position and the state of the broker. One replica publishes at a time.
 */
export class OutboxRelay {
  readonly #stopping = new AbortController();
  readonly #loop: PollLoop;
  readonly #checkpoints: OutboxCheckpoints;
  readonly #batchSize: number;
  #running: Promise<void> = Promise.resolve();
  #leading: Leading | undefined;
  #published = 0;
  #regressions = 0;
  #lastError: string | undefined;
  #countPublished: (by: number) => void = () => undefined;
  #countGap: (by: number) => void = () => undefined;
  #countBlocked: (by: number) => void = () => undefined;
  #countRegression: (by: number) => void = () => undefined;

  constructor(private readonly options: OutboxRelayOptions) {
    this.#batchSize = options.batchSize ?? 500;
    this.#checkpoints = new OutboxCheckpoints(options.store.pool, options.name ?? 'events');
    const { pollMs = 300 } = options;
    this.#loop = new PollLoop({
      poll: async (): Promise<PollResult> => this.#leading?.publishing.poll() ?? 'idle',
      pollMs,
      idleMs: Math.max(IDLE_MS, pollMs),
      onError: error => this.#failed(error),
    });
  }

  start(): void {
    const { store } = this.options;
    for (const unsubscribe of [store.onAppended(() => this.#loop.wake()), store.onFeedRead(end => this.#catchUp(end))])
      this.#stopping.signal.addEventListener('abort', unsubscribe, { once: true });
    this.#observe();
    this.#running = this.#lead();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async status(): Promise<OutboxStatus> {
    const { position, broker, blockage } = await this.#checkpoints.load();
    return {
      leading: this.#leading !== undefined,
      led: await isLed(this.#pool, this.#leadership),
      brokerSequence: broker?.lastSequence,
      lag: await countAfter(this.#pool, position),
      published: this.#published,
      lastError: this.#lastError,
      regressions: this.#regressions,
      blockage,
    };
  }

  /** The leading replica publishes again the events that a consumer misses. */
  async reportGap(gap: Gap): Promise<void> {
    await this.#checkpoints.reportGap(gap);
    this.#loop.wake();
  }

  #catchUp(end: Position): void {
    const { position } = this.#leading?.progress ?? {};
    if (position && comparePositions(position, end) < 0) this.#loop.wake();
  }

  #observe(): void {
    const lag = async () => lagAfter(this.#pool, (await this.#checkpoints.load()).position);
    const unobserve = observeLag('postern.outbox', {}, lag);
    this.#stopping.signal.addEventListener('abort', unobserve, { once: true });
    this.#countPublished = countFromZero('postern.outbox.published', 'Events published, repetitions included');
    this.#countRegression = countFromZero('postern.outbox.regressions', 'Times the broker had lost events');
    this.#countGap = countFromZero('postern.outbox.gaps', 'Gaps reported by consumers and published again');
    this.#countBlocked = countFromZero(
      'postern.outbox.blockages',
      'Number of times that the broker stopped accepting events',
    );
    const unobserveState = observeState(
      { name: 'postern.outbox.blocked', description: '1 while the broker accepts no events', attribute: 'condition' },
      ['full', 'no_storage', WRONG_SETTINGS],
      () => this.#leading?.blockage.current?.condition,
    );
    this.#stopping.signal.addEventListener('abort', unobserveState, { once: true });
  }

  get #pool(): pg.Pool {
    return this.options.store.pool;
  }

  get #leadership(): string {
    return `outbox ${this.options.name ?? 'events'}`;
  }

  async #lead(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await withLeadership(this.#pool, this.#leadership, signal, async lost => {
          this.#leading = await this.#resume();
          await this.#loop.run(lost);
        });
      } catch (error) {
        this.#failed(error);
      } finally {
        this.#leading = undefined;
      }
      await after(RETRY_LEADERSHIP_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Continues at the position of the previous leader. */
  async #resume(): Promise<Leading> {
    const [checkpoints, batchSize, pool] = [this.#checkpoints, this.#batchSize, this.#pool];
    const { publisher, types, lookBackDays = 14 } = this.options;
    const checkpoint = await checkpoints.load();
    const progress = new OutboxProgress(checkpoints, checkpoint, batchSize);
    const blockage = new OutboxBlockage(
      {
        checkpoints,
        onBlocked: begun => {
          this.#countBlocked(1);
          this.options.onBlocked?.(begun);
        },
        onUnblocked: ended => this.options.onUnblocked?.(ended),
      },
      checkpoint.blockage,
    );
    const losses = new BrokerLosses(
      {
        checkpoints,
        publisher,
        progress,
        lookBackDays,
        onRegression: cause => {
          this.#regressions++;
          this.#countRegression(1);
          this.options.onRegression?.(cause);
        },
        onGap: gap => {
          this.#countGap(1);
          this.options.onGap?.(gap);
        },
      },
      checkpoint.brokerFirst,
    );
    const onPublished = (events: number) => {
      this.#published += events;
      this.#countPublished(events);
      this.#lastError = undefined;
    };
    const parts = { pool, publisher, types, batchSize, progress, losses, blockage, onPublished };
    return { progress, blockage, publishing: new OutboxPublishing(parts) };
  }

  #failed(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#leading?.progress.distrustBroker();
    this.options.onError?.(error);
  }
}
