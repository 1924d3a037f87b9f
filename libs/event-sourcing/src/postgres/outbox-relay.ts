import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type pg from 'pg';
import { BEGINNING, comparePositions, type Position, type RecordedEvent } from '../event.js';
import { countAfter, type FeedPage, lagAfter, readFeed } from './feed.js';
import { isLed, withLeadership } from './leadership.js';
import { countFromZero, observeLag, observeState } from './observe-lag.js';
import { type Blockage, type BrokerState, type Gap, OutboxCheckpoints, type Repetition } from './outbox-checkpoints.js';
import type { PostgresEventStore } from './postgres-event-store.js';
import { type RoundOutcome, Rounds } from './rounds.js';

/** What a broker's stream holds, and who has taken it. */
export interface BrokerRetention {
  readonly created: string;
  readonly firstSequence: number;
  /** Every consumer has taken everything up to here; undefined when there is no consumer. */
  readonly takenByAll: number | undefined;
  /** Up to here this process has removed events that every consumer had taken. */
  readonly removedTo: number;
}

/** The broker, as the relay needs it. Publishing the same event again must be harmless. */
export interface Publisher {
  /**
   * Resolves when every event is stored, or with `blocked` when the broker has the first `taken` of them and takes no
   * more; rejects when any is in doubt. A `repetition` is stored even where the broker knows the event.
   */
  publish(
    batch: readonly RecordedEvent[],
    repetition?: string,
  ): Promise<{
    readonly lastSequence: number;
    readonly blocked?: { readonly condition: string; readonly reason: string; readonly taken: number };
  }>;
  /** Undefined when the broker has never heard of us; rejects when it cannot be asked. */
  state(): Promise<BrokerState | undefined>;
  /** What the broker still holds; undefined when it has never heard of us. */
  retention?(): Promise<BrokerRetention | undefined>;
  /** Removes from the broker what all consumers took long ago. */
  removeOld?(): Promise<void>;
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
  /** Told once when the broker takes no more events, and once when it does again. */
  readonly onBlocked?: (blockage: Blockage) => void;
  readonly onUnblocked?: (blockage: Blockage) => void;
  /** Told when a consumer misses events and they are published again. */
  readonly onGap?: (gap: Gap) => void;
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
  /** Why the broker takes no events, whichever replica leads. */
  readonly blockage: Blockage | undefined;
}

/** Looking at an idle broker finds a loss; looking at one that was silent for a moment must come before publishing. */
const CHECK_BROKER_EVERY_MS = 1_000;
const TRUST_BROKER_MS = 100;
/** How often the position is written down while nothing between is published. */
const PASS_OVER_MS = 1_000;
const RETRY_LEADERSHIP_MS = 1_000;
/** How long a stream takes everything until it counts as having room again. */
const ROOM_FOR_MS = 10_000;
/** How often reported gaps and the broker's old events are looked after. */
const MAINTAIN_EVERY_MS = 1_000;

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
  private blockage: Blockage | undefined;
  private repetition: Repetition | undefined;
  private blockedAt = 0;
  /** The first sequence that the stream held, and what every consumer had taken, when they were last asked for. */
  private brokerFirst: number | undefined;
  private takenByAll: number | undefined;
  private maintainedAt = 0;
  private countPublished: (by: number) => void = () => undefined;
  private countGap: (by: number) => void = () => undefined;
  private countBlocked: (by: number) => void = () => undefined;
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
    const { position, broker, blockage } = await this.checkpoints.load();
    return {
      leading: this.leading,
      led: await isLed(this.pool, this.leadership),
      brokerSequence: broker?.lastSequence,
      lag: await countAfter(this.pool, position),
      published: this.published,
      lastError: this.lastError,
      regressions: this.regressions,
      blockage,
    };
  }

  /** Has the events published again that a consumer found missing in the broker, whichever replica leads. */
  async reportGap(gap: Gap): Promise<void> {
    await this.checkpoints.reportGap(gap);
    this.rounds.wake();
  }

  private observe(): void {
    const lag = async () => lagAfter(this.pool, (await this.checkpoints.load()).position);
    const unobserve = observeLag('postern.outbox', {}, lag);
    this.stopping.signal.addEventListener('abort', unobserve, { once: true });
    this.countPublished = countFromZero('postern.outbox.published', 'Events published, repetitions included');
    this.countRegression = countFromZero('postern.outbox.regressions', 'Times the broker had lost events');
    this.countGap = countFromZero('postern.outbox.gaps', 'Gaps reported by consumers and published again');
    this.countBlocked = countFromZero('postern.outbox.blockages', 'Times the broker took no more events');
    const endState = observeState(
      { name: 'postern.outbox.blocked', description: 'Whether the broker takes no events', attribute: 'condition' },
      ['full', 'no_storage'],
      () => (this.leading ? this.blockage?.condition : undefined),
    );
    this.stopping.signal.addEventListener('abort', endState, { once: true });
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
          const checkpoint = await this.checkpoints.load();
          ({ position: this.at, broker: this.broker, repetition: this.repetition } = checkpoint);
          this.blockage = checkpoint.blockage;
          this.brokerFirst = checkpoint.brokerFirst;
          this.takenByAll = undefined;
          this.maintainedAt = 0;
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
    if (Date.now() - this.maintainedAt > MAINTAIN_EVERY_MS) await this.maintain();
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
    const blockedBefore = page.events.length > 0 ? await this.publish(page.events) : undefined;
    if (blockedBefore !== undefined) return this.wait(page.events, blockedBefore);
    if (page.events.length > 0 && this.hasRoomAgain(page)) await this.unblock();
    if (page.events.length > 0 || this.isTimeToSave()) await this.save(page.position);
    this.moveTo(page.position, page.events.length);
    if (page.full) return true;
    return page.hidden ? 'look_again' : 'at_rest';
  }

  /** Keeps what the broker took of a page and leaves the rest in the log until there is room. */
  private async wait(events: FeedPage['events'], taken: number): Promise<RoundOutcome> {
    const last = events[taken - 1];
    if (!last) return 'blocked';
    await this.save(last.position);
    this.moveTo(last.position, taken);
    // Somebody takes events, so there will soon be room for more.
    return 'look_again';
  }

  private moveTo(position: Position, published: number): void {
    this.at = position;
    this.published += published;
    this.countPublished(published);
    this.lastError = undefined;
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

  /** Publishes a page. @returns how many events the broker took where it takes no more; undefined for all. */
  private async publish(events: FeedPage['events']): Promise<number | undefined> {
    this.inDoubt = Math.max(this.inDoubt, events.length);
    const { lastSequence, blocked } = await this.options.publisher.publish(events, this.repetitionId());
    if (blocked) await this.block(blocked);
    if (blocked?.taken === 0) {
      this.inDoubt = 0;
      return 0;
    }
    if (this.broker && lastSequence < this.broker.lastSequence) {
      this.brokerSeenAt = 0;
      throw new Error(`the broker took events at sequence ${lastSequence}, behind ${this.broker.lastSequence}`);
    }
    // The first publishing may have made the stream; its birth belongs into the checkpoint.
    const created = this.broker?.created ?? (await this.options.publisher.state())?.created;
    if (created !== undefined) this.broker = { created, lastSequence };
    this.inDoubt = 0;
    this.brokerSeenAt = Date.now();
    return blocked?.taken;
  }

  private repetitionId(): string | undefined {
    if (this.repetition && comparePositions(this.at, this.repetition.until) >= 0) this.repetition = undefined;
    return this.repetition?.id;
  }

  /** A stream that is full again and again while consumers catch up is one blockage, not many. */
  private hasRoomAgain({ full }: FeedPage): boolean {
    return !full || Date.now() - this.blockedAt > ROOM_FOR_MS;
  }

  private async block({ condition, reason }: { condition: string; reason: string }): Promise<void> {
    // What was read ahead lies behind what waits.
    this.readAhead = undefined;
    this.blockedAt = Date.now();
    if (this.blockage?.condition === condition && this.blockage.reason === reason) return;
    const began = this.blockage?.condition !== condition;
    this.blockage = { condition, reason, since: began ? new Date() : (this.blockage?.since ?? new Date()) };
    await this.checkpoints.saveBlockage(this.blockage);
    if (!began) return;
    this.countBlocked(1);
    this.options.onBlocked?.(this.blockage);
  }

  private async unblock(): Promise<void> {
    if (!this.blockage) return;
    const ended = this.blockage;
    this.blockage = undefined;
    await this.checkpoints.saveBlockage(undefined);
    this.options.onUnblocked?.(ended);
  }

  /** Goes back for what consumers miss, and has old events removed. */
  private async maintain(): Promise<void> {
    this.maintainedAt = Date.now();
    await this.findLoss();
    await this.fillGaps();
    if (this.brokerFirst !== undefined) await this.options.publisher.removeOld?.();
  }

  /**
   * Notices that somebody else removed the beginning of the stream. Consumers cannot: the server moves them behind what
   * is gone, as if they had taken it. What was removed and not known to be taken is published again.
   */
  private async findLoss(): Promise<void> {
    const now = await this.options.publisher.retention?.();
    if (!now || now.created !== this.broker?.created) return;
    const { firstSequence: first, takenByAll, removedTo } = now;
    const expected = Math.max(this.brokerFirst ?? first, removedTo + 1, (this.takenByAll ?? 0) + 1);
    if (first > expected && takenByAll !== undefined)
      await this.checkpoints.reportGap({
        consumer: 'every consumer',
        brokerCreated: now.created,
        first: expected,
        last: first - 1,
      });
    if (first !== this.brokerFirst) await this.checkpoints.saveBrokerFirst(first);
    this.brokerFirst = first;
    this.takenByAll = takenByAll;
  }

  /**
   * Publishes again from before the earliest gap on. One cursor for all: what is published again may itself be lost,
   * and then the trail leads back to it as to anything else.
   */
  private async fillGaps(): Promise<void> {
    const gaps = await this.checkpoints.gaps();
    if (gaps.length === 0) return;
    let target = this.at;
    for (const gap of gaps) {
      // A stream that was made anew since has been filled again as a whole.
      if (this.broker && gap.brokerCreated !== this.broker.created) continue;
      const before =
        (await this.checkpoints.lastCertain(gap.first - 1)) ??
        (await this.checkpoints.daysAgo(this.options.lookBackDays ?? 14));
      if (await this.checkpoints.isRepeatedAfter(gap.last, before)) continue;
      if (comparePositions(before, target) < 0) target = before;
      this.countGap(1);
      this.options.onGap?.(gap);
    }
    const until =
      this.repetition && comparePositions(this.repetition.until, this.at) > 0 ? this.repetition.until : this.at;
    const goesBack = comparePositions(target, this.at) < 0;
    const repetition = goesBack ? { until, id: randomUUID().slice(0, 8) } : this.repetition;
    await this.checkpoints.goBack(gaps, target, this.broker, repetition);
    this.repetition = repetition;
    this.at = target;
    this.saved = target;
    this.readAhead = undefined;
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
    if (!survived) {
      this.brokerFirst = undefined;
      this.takenByAll = undefined;
      await this.checkpoints.saveBrokerFirst(undefined);
    }
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
