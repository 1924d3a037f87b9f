import { setTimeout as pause } from 'node:timers/promises';
import { consumerName, type EventContract, type LogPosition, type ServiceName } from '@postern/contracts';
import { Backoff } from '../backoff.js';
import type { NatsLink } from '../connection.js';
import type { Log } from '../log.js';
import { EventBatches, type EventRetries } from './event-batches.js';
import type { FeedReader, ReadPage } from './feed-reader.js';
import type { Effect, FollowerStore } from './follower-store.js';
import { type EventHandlers, HandlerCalls } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { SetAsideRetries } from './set-aside-retries.js';
import { WakeUp } from './wake-up.js';

export interface EventFollowerOptions {
  readonly link: Pick<NatsLink, 'subscribe' | 'closed'>;
  readonly log: Log;
  readonly service: string;
  readonly consumer: string;
  /** The service whose log is read. */
  readonly source: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly handlers: EventHandlers;
  readonly retries: EventRetries;
  readonly feed: Pick<FeedReader, 'read'>;
  readonly store: FollowerStore;
  readonly setAside: SetAsideEvents;
  /** Receives the events that this process has handled, after the commit. */
  readonly onHandled?: ((events: readonly unknown[]) => void) | undefined;
  /** For tests. */
  readonly times?: FollowerTimes;
}

/** Waiting times in milliseconds. */
export interface FollowerTimes {
  readonly retryLead: number;
  /** The longest time until an event is read whose wake-up was lost. */
  readonly poll: number;
  /** Collects the next batch after a small one: a transaction costs the same for one event as for thirty. */
  readonly collect: number;
  /** A position that only passes over events of other types is saved once in this time. */
  readonly passOver: number;
  readonly unavailable: { readonly firstMs: number; readonly maxMs: number };
}

/** What a consumer has not handled yet. */
export interface FollowerStatus {
  readonly consumer: string;
  readonly source: ServiceName;
  /** The time of the oldest event that it has read and not handled. */
  readonly oldestAt: Date | undefined;
  /** For how long the source has not answered. */
  readonly unansweredMs: number;
}

const TIMES: FollowerTimes = {
  retryLead: 1_000,
  poll: 1_000,
  collect: 30,
  passOver: 1_000,
  unavailable: { firstMs: 200, maxMs: 5_000 },
};
const SMALL_BATCH = 64;
const HIDDEN_MS = { firstMs: 5, maxMs: 300 };

/**
 * Reads the events of another service from its log and handles them in order, page by page. Its position is in its own
 * database and moves in the transaction of their effect, so a page that another replica has handled has no effect again.
 */
export class EventFollower {
  readonly #stopping = new AbortController();
  readonly #name: string;
  readonly #batches: EventBatches;
  readonly #retries: SetAsideRetries;
  readonly #wakeUp: WakeUp;
  readonly #times: FollowerTimes;
  readonly #unavailable: Backoff;
  readonly #hidden = Backoff.exponential(HIDDEN_MS);
  #running: Promise<void> = Promise.resolve();
  #isFailing = false;
  /** The position in the database; the follower may be past it by events of other types. */
  #stored: LogPosition | null = null;
  #savedAt = 0;
  #oldestAt: Date | undefined;
  #unansweredSince: number | undefined;

  constructor(private readonly options: EventFollowerOptions) {
    const { link, log, service, contracts, handlers, setAside, retries, store } = options;
    const consumer = consumerName(service, options.consumer);
    this.#name = consumer;
    const calls = new HandlerCalls({ log, consumer, contracts, handlers });
    const rehearse = store.rehearse.bind(store);
    this.#batches = new EventBatches({ log, consumer, calls, rehearse, setAside, retries });
    const stopping = this.#stopping.signal;
    this.#retries = new SetAsideRetries({ consumer, log, calls, store: setAside, retryMs: retries.poisonMs, stopping });
    this.#wakeUp = new WakeUp(link, contracts);
    this.#times = options.times ?? TIMES;
    this.#unavailable = Backoff.exponential(this.#times.unavailable);
  }

  /** Of this replica; one that does not lead has nothing to handle. */
  get status(): FollowerStatus {
    const unansweredMs = this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince;
    return { ...this.#about, oldestAt: this.#oldestAt, unansweredMs };
  }

  start(): void {
    this.#wakeUp.start();
    this.#retries.start();
    this.#running = this.#run();
  }

  /** Finishes the current page. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.stop();
    await Promise.all([this.#running, this.#retries.finish()]);
  }

  async #run(): Promise<void> {
    const { link, store } = this.options;
    const stop = this.#stopping.signal;
    while (!stop.aborted && !link.closed) {
      await store
        .lead(this.#name, stop, lost => this.#follow(lost))
        .catch(error => this.#failed(error, 'A consumer cannot use its database; it will retry'));
      this.#oldestAt = undefined;
      this.#unansweredSince = undefined;
      await pause(this.#times.retryLead, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  async #follow(lost: AbortSignal): Promise<void> {
    let position = await this.#position();
    let ahead: Promise<ReadPage | undefined> | undefined;
    while (!lost.aborted) {
      const page = await (ahead ?? this.#read(position, position));
      // The next page is read while this one is handled.
      ahead = page?.more ? this.#read(page.position, position) : undefined;
      if (!page) await this.#unavailable.pause(lost);
      else if (await this.#take(page, position, lost)) {
        position = page.position;
        if (!page.more) await this.#rest(page, lost);
      } else {
        position = await this.#position();
        ahead = undefined;
      }
    }
  }

  /** @returns undefined if the source does not answer. */
  async #read(after: LogPosition | null, handled: LogPosition | null): Promise<ReadPage | undefined> {
    this.#wakeUp.expect();
    try {
      const page = await this.options.feed.read(after, handled);
      this.#unavailable.reset();
      this.#unansweredSince = undefined;
      if (this.#isFailing) this.options.log.info(this.#about, 'A consumer reads events again');
      this.#isFailing = false;
      return page;
    } catch (error) {
      this.#unansweredSince ??= performance.now();
      this.#failed(error, 'A consumer cannot read events; it will retry');
      return undefined;
    }
  }

  /** @returns whether the page is handled and the position is after it. */
  async #take(page: ReadPage, from: LogPosition | null, lost: AbortSignal): Promise<boolean> {
    const { log, store, source } = this.options;
    const { events, position: to, restarted } = page;
    if (restarted)
      log.error(
        { ...this.#about, from, to },
        'The log of a service was restored: this consumer continues with the last events that it holds',
      );
    if (events.length === 0) {
      if (to?.event_id === this.#stored?.event_id) return true;
      if (!restarted && performance.now() - this.#savedAt < this.#times.passOver) return true;
    }
    this.#oldestAt = timeOf(events[0]);
    const move = { from: this.#stored, to, restarted };
    const commit = (effect?: Effect) => store.move(this.#name, source, move, effect);
    const isMoved = events.length > 0 ? await this.#batches.handle(events, commit, lost) : await commit();
    if (!isMoved) return false;
    this.#oldestAt = undefined;
    this.#savedAt = performance.now();
    this.#stored = to;
    if (events.length > 0) this.options.onHandled?.(events);
    return true;
  }

  async #position(): Promise<LogPosition | null> {
    const { store, source } = this.options;
    this.#stored = (await store.load(this.#name, source)) ?? null;
    return this.#stored;
  }

  async #rest({ events, hidden }: ReadPage, lost: AbortSignal): Promise<void> {
    if (events.length > 0 && events.length < SMALL_BATCH)
      await pause(this.#times.collect, undefined, { signal: lost }).catch(() => undefined);
    if (!hidden) this.#hidden.reset();
    await this.#wakeUp.wait(hidden ? this.#hidden.next() : this.#times.poll, lost);
  }

  get #about() {
    return { consumer: this.#name, source: this.options.source };
  }

  /** Logs the first failure of an outage. */
  #failed(error: unknown, message: string): void {
    const { log } = this.options;
    if (!this.#isFailing && !this.#stopping.signal.aborted) log.warn({ err: error, ...this.#about }, message);
    this.#isFailing = true;
  }
}

const timeOf = (event: unknown): Date | undefined => {
  const at = Date.parse((event as { readonly occurred_at?: string } | undefined)?.occurred_at ?? '');
  return Number.isNaN(at) ? undefined : new Date(at);
};
