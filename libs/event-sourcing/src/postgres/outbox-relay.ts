import { setTimeout as after } from 'node:timers/promises';
import type pg from 'pg';
import { BEGINNING, comparePositions, type Position, type RecordedEvent } from '../event.js';
import { countAfter, type FeedPage, lagAfter, readFeed } from './feed.js';
import { isLed, withLeadership } from './leadership.js';
import { countFromZero, observeLag } from './observe-lag.js';
import { type BrokerState, OutboxCheckpoints } from './outbox-checkpoints.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type RoundOutcome, Rounds } from './rounds.js';

/** The broker, as the relay needs it. Publishing the same event again must be harmless. */
export interface Publisher {
  /** Resolves when every event is stored; rejects when any is in doubt. */
  publish(batch: readonly RecordedEvent[]): Promise<{ readonly lastSequence: number }>;
  /** Undefined when the broker has never heard of us; rejects when it cannot be asked. */
  state(): Promise<BrokerState | undefined>;
}

export interface OutboxRelayOptions {
  readonly store: PostgresEventStore;
  readonly publisher: Publisher;
  /** What is published; events of other types are the service's own business. */
  readonly types: readonly string[];
  readonly name?: string;
  readonly batchSize?: number;
  readonly pollMs?: number;
  /** How far back is published again when the broker has lost everything. */
  readonly lookBackDays?: number;
  readonly onError?: (error: unknown) => void;
  /** Told when the broker went back and events are published again. */
  readonly onRegression?: (cause: string) => void;
}

export interface OutboxStatus {
  readonly leading: boolean;
  /** This replica leads, or another one does. */
  readonly led: boolean;
  /** Where the broker's stream stood when the relay last wrote it down. */
  readonly brokerSequence: number | undefined;
  /** Events not yet published, counted to 100,000. */
  readonly lag: number;
  readonly published: number;
  readonly lastError: string | undefined;
  readonly regressions: number;
}

/** Looking at an idle broker finds a loss; looking at one that was silent for a moment must come before publishing. */
const CHECK_BROKER_EVERY_MS = 1_000;
const TRUST_BROKER_MS = 100;
/** How often the position is written down while nothing between is published. */
const PASS_OVER_MS = 1_000;
const RETRY_LEADERSHIP_MS = 1_000;

/**
 * Publishes a service's events in commit order. The event table is the outbox: nothing is deleted or marked, the
 * relay only remembers how far it came and what the broker looked like then. One replica relays at a time.
 */
export class OutboxRelay {
  private readonly stopping = new AbortController();
  private readonly rounds: Rounds;
  private readonly checkpoints: OutboxCheckpoints;
  private readonly batchSize: number;
  private running: Promise<void> = Promise.resolve();
  private leading = false;
  private published = 0;
  private regressions = 0;
  private lastError: string | undefined;
  private at: Position = BEGINNING;
  /** The position last written down, and when; from there to `at` is nothing to be published. */
  private saved: Position = BEGINNING;
  private savedAt = 0;
  private broker: BrokerState | undefined;
  /** When the broker was last known to be what `broker` says. */
  private brokerSeenAt = 0;
  /** How many events may have been stored beyond the recorded sequence, by a publishing whose end is not known. */
  private inDoubt = 0;
  private readAhead: Promise<FeedPage> | undefined;
  private countPublished: (by: number) => void = () => undefined;
  private countRegression: (by: number) => void = () => undefined;

  constructor(private readonly options: OutboxRelayOptions) {
    this.batchSize = options.batchSize ?? 500;
    this.checkpoints = new OutboxCheckpoints(options.store.pool, options.name ?? 'events');
    this.rounds = new Rounds({
      round: () => this.round(),
      pollMs: options.pollMs ?? 300,
      onError: error => this.failed(error),
    });
  }

  start(): void {
    const unsubscribe = this.options.store.onAppended(() => this.rounds.wake());
    this.stopping.signal.addEventListener('abort', unsubscribe, { once: true });
    this.observe();
    this.running = this.lead();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async status(): Promise<OutboxStatus> {
    const { position, broker } = await this.checkpoints.load();
    return {
      leading: this.leading,
      led: await isLed(this.pool, this.leadership),
      brokerSequence: broker?.lastSequence,
      lag: await countAfter(this.pool, position),
      published: this.published,
      lastError: this.lastError,
      regressions: this.regressions,
    };
  }

  private observe(): void {
    const lag = async () => lagAfter(this.pool, (await this.checkpoints.load()).position);
    const unobserve = observeLag('postern.outbox', {}, lag);
    this.stopping.signal.addEventListener('abort', unobserve, { once: true });
    this.countPublished = countFromZero('postern.outbox.published', 'Events published, repetitions included');
    this.countRegression = countFromZero('postern.outbox.regressions', 'Times the broker had lost events');
  }

  private get pool(): pg.Pool {
    return this.options.store.pool;
  }

  private get leadership(): string {
    return `outbox ${this.options.name ?? 'events'}`;
  }

  private async lead(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await withLeadership(this.pool, this.leadership, signal, async lost => {
          ({ position: this.at, broker: this.broker } = await this.checkpoints.load());
          this.saved = this.at;
          this.brokerSeenAt = 0;
          this.inDoubt = this.batchSize;
          this.readAhead = undefined;
          this.leading = true;
          await this.rounds.run(lost);
        });
      } catch (error) {
        this.failed(error);
      } finally {
        this.leading = false;
      }
      await after(RETRY_LEADERSHIP_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async round(): Promise<RoundOutcome> {
    if (Date.now() - this.brokerSeenAt > CHECK_BROKER_EVERY_MS) await this.checkBroker();
    const page = await (this.readAhead ?? this.read(this.at));
    this.readAhead = undefined;
    if (comparePositions(page.position, this.at) === 0) {
      if (comparePositions(this.saved, this.at) !== 0 && this.isTimeToSave()) await this.save(this.at);
      return page.hidden ? false : 'at_rest';
    }
    // What was read is read again after a rewind, from further back.
    if (page.events.length > 0 && Date.now() - this.brokerSeenAt > TRUST_BROKER_MS && (await this.checkBroker()))
      return true;
    // The next page is read while this one is published.
    if (page.full) {
      this.readAhead = this.read(page.position);
      this.readAhead.catch(() => undefined);
    }
    if (page.events.length > 0) await this.publish(page.events);
    if (page.events.length > 0 || this.isTimeToSave()) await this.save(page.position);
    this.at = page.position;
    this.published += page.events.length;
    this.countPublished(page.events.length);
    this.lastError = undefined;
    if (page.full) return true;
    return page.hidden ? 'look_again' : 'at_rest';
  }

  /** What passes over events that are not published costs no write each time. */
  private isTimeToSave(): boolean {
    return performance.now() - this.savedAt >= PASS_OVER_MS;
  }

  private async save(position: Position): Promise<void> {
    await this.checkpoints.save(position, this.broker);
    this.saved = position;
    this.savedAt = performance.now();
  }

  private async publish(events: FeedPage['events']): Promise<void> {
    this.inDoubt = Math.max(this.inDoubt, events.length);
    const { lastSequence } = await this.options.publisher.publish(events);
    if (this.broker && lastSequence < this.broker.lastSequence) {
      this.brokerSeenAt = 0;
      throw new Error(`the broker took events at sequence ${lastSequence}, behind ${this.broker.lastSequence}`);
    }
    // The first publishing may have made the stream; its birth belongs into the checkpoint.
    const created = this.broker?.created ?? (await this.options.publisher.state())?.created;
    if (created !== undefined) this.broker = { created, lastSequence };
    this.inDoubt = 0;
    this.brokerSeenAt = Date.now();
  }

  private read(after: Position): Promise<FeedPage> {
    return readFeed(this.pool, after, this.batchSize, { types: this.options.types });
  }

  /**
   * A broker that was born again, or stands before where we left it, has lost events that consumers may not have seen.
   * Answers whether it had, and the relay went back.
   */
  private async checkBroker(): Promise<boolean> {
    const now = await this.options.publisher.state();
    this.brokerSeenAt = Date.now();
    const before = this.broker;
    if (!before || (now?.created === before.created && now.lastSequence >= before.lastSequence)) return false;
    const survived = now?.created === before.created ? now : undefined;
    // What a publishing in doubt has stored since the loss took the numbers of what was lost.
    const kept = Math.max(0, (survived?.lastSequence ?? 0) - this.inDoubt);
    const certain = survived && (await this.checkpoints.lastCertain(kept));
    const target = certain ?? (await this.checkpoints.daysAgo(this.options.lookBackDays ?? 14));
    // Never forwards: what was not published yet is no older for it.
    if (comparePositions(target, this.at) < 0) this.at = target;
    this.broker = survived;
    this.readAhead = undefined;
    await this.checkpoints.rewind(this.at, this.broker, kept);
    this.saved = this.at;
    this.regressions++;
    this.countRegression(1);
    this.options.onRegression?.(
      survived
        ? `the stream went back from sequence ${before.lastSequence} to ${survived.lastSequence}`
        : 'the stream was lost',
    );
    return true;
  }

  private failed(error: unknown): void {
    this.lastError = error instanceof Error ? error.message : String(error);
    this.readAhead = undefined;
    // Whatever went wrong, the broker may not be what it was.
    this.brokerSeenAt = 0;
    this.options.onError?.(error);
  }
}
