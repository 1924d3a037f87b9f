import { setTimeout as pause } from 'node:timers/promises';
import { consumerName, type EventContract, type LogPosition, type ServiceName } from '@postern/contracts';
import { Backoff } from '../backoff.js';
import type { NatsLink } from '../connection.js';
import type { Log } from '../log.js';
import { EventBatches, type EventRetries } from './event-batches.js';
import type { FeedReader, ReadPage } from './feed-reader.js';
import type { FollowerStore } from './follower-store.js';
import { type HandleEvents, HandlerCalls } from './handler-calls.js';
import type { SetAsideEvents } from './set-aside-events.js';
import { SetAsideRetries } from './set-aside-retries.js';
import { WakeUp } from './wake-up.js';

export interface EventFollowerOptions {
  readonly link: NatsLink;
  readonly log: Log;
  readonly service: string;
  readonly consumer: string;
  /** The service whose log is read. */
  readonly source: ServiceName;
  readonly contracts: readonly EventContract[];
  readonly handle: HandleEvents;
  readonly retries: EventRetries;
  readonly feed: FeedReader;
  readonly store: FollowerStore;
  readonly setAside: SetAsideEvents;
}

const RETRY_LEAD_MS = 1_000;
/** The longest time until an event is read whose wake-up was lost. */
const POLL_MS = 1_000;
/** Time to collect the next batch after a small one: a transaction costs the same for one event as for thirty. */
const COLLECT_MS = 30;
const SMALL_BATCH = 64;
/** A position that only passes over events of other types is saved once in this time. */
const PASS_OVER_MS = 1_000;
const HIDDEN_MS = { firstMs: 5, maxMs: 300 };
const UNAVAILABLE_MS = { firstMs: 200, maxMs: 5_000 };

/**
 * Reads the events of another service from its log and handles them in order, page by page. Its position is in its own
 * database; one replica follows at a time, and a page that another one has handled meanwhile is not counted again.
 */
export class EventFollower {
  readonly #stopping = new AbortController();
  readonly #name: string;
  readonly #batches: EventBatches;
  readonly #retries: SetAsideRetries;
  readonly #wakeUp: WakeUp;
  readonly #unavailable = Backoff.exponential(UNAVAILABLE_MS);
  readonly #hidden = Backoff.exponential(HIDDEN_MS);
  #running: Promise<void> = Promise.resolve();
  #isFailing = false;
  /** The position in the database; the follower may be past it by events of other types. */
  #stored: LogPosition | null = null;
  #savedAt = 0;

  constructor(private readonly options: EventFollowerOptions) {
    const { link, log, service, contracts, handle, setAside, retries } = options;
    const consumer = consumerName(service, options.consumer);
    this.#name = consumer;
    const calls = new HandlerCalls({ log, consumer, contracts, handle });
    this.#batches = new EventBatches({ log, consumer, calls, setAside, retries });
    const stopping = this.#stopping.signal;
    this.#retries = new SetAsideRetries({ consumer, log, calls, store: setAside, retryMs: retries.poisonMs, stopping });
    this.#wakeUp = new WakeUp(link, contracts);
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
      await pause(RETRY_LEAD_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  async #follow(lost: AbortSignal): Promise<void> {
    let position = await this.#position();
    while (!lost.aborted) {
      const page = await this.#read(position);
      if (!page) await this.#unavailable.pause(lost);
      else if (await this.#take(page, position, lost)) {
        position = page.position;
        if (!page.more) await this.#rest(page, lost);
      } else position = await this.#position();
    }
  }

  /** @returns undefined if the source does not answer. */
  async #read(position: LogPosition | null): Promise<ReadPage | undefined> {
    this.#wakeUp.expect();
    try {
      const page = await this.options.feed.read(position);
      this.#unavailable.reset();
      if (this.#isFailing) this.options.log.info(this.#about, 'A consumer reads events again');
      this.#isFailing = false;
      return page;
    } catch (error) {
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
    if (events.length > 0 && !(await this.#batches.handle(events, lost))) return false;
    if (to?.event_id === this.#stored?.event_id) return true;
    const isPassing = events.length === 0 && !restarted;
    if (isPassing && performance.now() - this.#savedAt < PASS_OVER_MS) return true;
    this.#savedAt = performance.now();
    if (!(await store.move(this.#name, source, { from: this.#stored, to, restarted }))) return false;
    this.#stored = to;
    return true;
  }

  async #position(): Promise<LogPosition | null> {
    const { store, source, feed } = this.options;
    const known = await store.load(this.#name, source);
    this.#stored = known ?? null;
    if (known === undefined) await feed.prepareFirst();
    return this.#stored;
  }

  async #rest({ events, hidden }: ReadPage, lost: AbortSignal): Promise<void> {
    if (events.length > 0 && events.length < SMALL_BATCH)
      await pause(COLLECT_MS, undefined, { signal: lost }).catch(() => undefined);
    if (!hidden) this.#hidden.reset();
    await this.#wakeUp.wait(hidden ? this.#hidden.next() : POLL_MS, lost);
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
