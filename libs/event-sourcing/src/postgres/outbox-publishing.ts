import type pg from 'pg';
import { comparePositions, type Position } from '../event.js';
import type { BrokerLosses } from './broker-losses.js';
import { type FeedPage, readFeed } from './feed.js';
import type { OutboxBlockage } from './outbox-blockage.js';
import type { OutboxProgress } from './outbox-progress.js';
import type { PollResult } from './poll-loop.js';
import { type Publisher, WRONG_SETTINGS } from './publisher.js';

/** Interval at which an idle broker is checked for a loss. */
const CHECK_BROKER_EVERY_MS = 1_000;
/** A broker that was checked longer ago is checked before events are published to it. */
const TRUST_BROKER_MS = 100;

export interface OutboxPublishingOptions {
  readonly pool: pg.Pool;
  readonly publisher: Publisher;
  readonly types: readonly string[];
  readonly batchSize: number;
  readonly progress: OutboxProgress;
  readonly losses: BrokerLosses;
  readonly blockage: OutboxBlockage;
  readonly onPublished: (events: number) => void;
}

/** Publishes the feed page by page, for as long as this process leads. */
export class OutboxPublishing {
  constructor(private readonly options: OutboxPublishingOptions) {}

  async poll(): Promise<PollResult> {
    const { progress, publisher, losses, blockage } = this.options;
    if (Date.now() - progress.brokerCheckedAt > CHECK_BROKER_EVERY_MS) await losses.checkBroker();
    await losses.maintain();
    const refused = publisher.refusal?.();
    if (refused) {
      await blockage.begin(refused);
      return 'blocked';
    }
    if (blockage.current?.condition === WRONG_SETTINGS) await blockage.end();
    const page = await (progress.readAhead ?? this.#read(progress.position));
    progress.readAhead = undefined;
    if (comparePositions(page.position, progress.position) === 0) {
      await progress.saveIfDue();
      return page.hidden ? 'empty' : 'idle';
    }
    const hasEvents = page.events.length > 0;
    // After a loss the same events are read again, from further back.
    if (hasEvents && Date.now() - progress.brokerCheckedAt > TRUST_BROKER_MS && (await losses.checkBroker()))
      return 'more';
    // The next page is read while this one is published.
    if (page.full) {
      progress.readAhead = this.#read(page.position);
      progress.readAhead.catch(() => undefined);
    }
    const taken = hasEvents ? await this.#publish(page.events) : undefined;
    if (taken !== undefined) return this.#keepRest(page.events, taken);
    if (hasEvents) await blockage.published(page);
    if (hasEvents || progress.isSaveDue()) await progress.save(page.position);
    this.#moveTo(page.position, page.events.length);
    if (page.full) return 'more';
    return page.hidden ? 'caught_up' : 'idle';
  }

  /** @returns the number of events that the broker accepted before it became blocked; undefined if it accepted all. */
  async #publish(events: FeedPage['events']): Promise<number | undefined> {
    const { progress, publisher, blockage } = this.options;
    progress.inDoubt = Math.max(progress.inDoubt, events.length);
    const { lastSequence, blocked } = await publisher.publish(events, progress.repetitionId());
    if (blocked) {
      // The page that was read ahead follows the events that wait.
      progress.readAhead = undefined;
      await blockage.begin(blocked);
    }
    if (blocked?.taken === 0) {
      progress.inDoubt = 0;
      return 0;
    }
    if (progress.broker && lastSequence < progress.broker.lastSequence) {
      progress.brokerCheckedAt = 0;
      throw new Error(`the broker stored events at sequence ${lastSequence}, before ${progress.broker.lastSequence}`);
    }
    // The first publish call may have created the stream; the checkpoint records its creation time.
    const created = progress.broker?.created ?? (await publisher.state())?.created;
    if (created !== undefined) progress.broker = { created, lastSequence };
    progress.inDoubt = 0;
    progress.brokerCheckedAt = Date.now();
    return blocked?.taken;
  }

  /** Moves past the events that the broker accepted; the rest stays in the log until there is space. */
  async #keepRest(events: FeedPage['events'], taken: number): Promise<PollResult> {
    const last = events[taken - 1];
    if (!last) return 'blocked';
    await this.options.progress.save(last.position);
    this.#moveTo(last.position, taken);
    // Consumers acknowledge events, so there will be space soon.
    return 'caught_up';
  }

  #moveTo(position: Position, published: number): void {
    this.options.progress.position = position;
    this.options.onPublished(published);
  }

  #read(after: Position): Promise<FeedPage> {
    const { pool, batchSize, types } = this.options;
    return readFeed(pool, after, batchSize, { types });
  }
}
