import type { DueDelivery } from './ports.js';
import { RateLimit } from './rate-limit.js';

/** Concurrent requests per endpoint; bounds the cost of an endpoint that does not respond. */
export const MAX_REQUESTS = 8;
/** Completed requests that are not recorded yet; bounds what is repeated after a crash while the database is slow. */
const MAX_UNRECORDED = 32;
/** Deliveries held for one endpoint, and for all of them. */
const MAX_DELIVERIES = 128;
const MAX_TOTAL_DELIVERIES = 4_096;
/** The capacity follows the throughput of this interval. */
const THROUGHPUT_INTERVAL_MS = 250;

/**
 * The deliveries that this process has read for one endpoint, which it calls alone. The capacity doubles while a full load completes
 * within the interval, and otherwise falls to the measured throughput: fast endpoints get large batches, slow ones none ahead.
 */
export class EndpointWorker {
  readonly #waiting: DueDelivery[] = [];
  /** Read and not recorded. */
  readonly #ids = new Set<string>();
  readonly #rate = new RateLimit();
  #ordered = false;
  #requests = 0;
  #unrecorded = 0;
  #capacity = MAX_REQUESTS;
  #completed = 0;
  /** A worker is created by a read with this limit. */
  #requested = MAX_REQUESTS;
  #received = 0;
  #measuredAt: number;

  constructor(
    readonly serviceId: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#measuredAt = now();
  }

  /** The deliveries that it has read and not recorded. */
  get ids(): Iterable<string> {
    return this.#ids;
  }

  get isEmpty(): boolean {
    return this.#load === 0;
  }

  /** Whether it has been empty for an interval, has no requests to count, and can be discarded. */
  get isIdle(): boolean {
    return this.isEmpty && this.now() - this.#measuredAt > THROUGHPUT_INTERVAL_MS && this.#rate.isOver(this.now());
  }

  /** Whether to read more. Only true if the last read was full, so more deliveries are probably due. */
  get needsMore(): boolean {
    if (this.#received < this.#requested || this.#load >= this.#capacity) return false;
    return this.#waiting.length === 0 || this.#load <= this.#capacity / 2;
  }

  /** Until its rate limit permits the next request, in milliseconds; undefined if something else prevents it. */
  get startsInMs(): number | undefined {
    return this.#waiting.length > 0 && this.#hasPlace ? this.#rate.waitMs(this.now()) : undefined;
  }

  /** @param ownedSinceMs since when this process calls the endpoint alone, by the clock of the worker. */
  add(delivery: DueDelivery, ownedSinceMs: number): void {
    this.#received++;
    this.#waiting.push(delivery);
    this.#ids.add(delivery.id);
    // The settings of the endpoint may have changed.
    this.#rate.perSecond = delivery.rateLimit;
    this.#rate.sinceMs = ownedSinceMs;
    this.#ordered = delivery.ordered;
  }

  /** Starts the next request if the limits permit one. */
  next(): DueDelivery | undefined {
    if (!this.#hasPlace || this.#rate.waitMs(this.now()) > 0) return undefined;
    const first = this.#waiting.shift();
    if (!first) return undefined;
    this.#requests++;
    this.#rate.started(this.now());
    return first;
  }

  /** A request is over. */
  onResponse(): void {
    this.#requests--;
    this.#unrecorded++;
  }

  /** The attempt of a request is recorded; `isDone` if the endpoint will not get the delivery again by itself. */
  onRecorded({ id }: Pick<DueDelivery, 'id'>, isDone: boolean): void {
    this.#ids.delete(id);
    this.#unrecorded--;
    this.#completed++;
    // The queue says what follows, which is the same delivery.
    if (this.#ordered && !isDone) this.release();
  }

  /** Drops the deliveries that have not been attempted; they stay due. */
  release(): void {
    for (const { id } of this.#waiting) this.#ids.delete(id);
    this.#waiting.length = 0;
  }

  /** Returns how many more deliveries to read, if all of the process are divided into `parts`. */
  readLimit(parts: number): number {
    if (this.now() - this.#measuredAt > THROUGHPUT_INTERVAL_MS) this.#resize(this.#completed);
    else if (this.#completed >= this.#capacity) this.#resize(this.#capacity * 2);
    const max = Math.min(MAX_DELIVERIES, Math.floor(MAX_TOTAL_DELIVERIES / parts));
    this.#capacity = Math.max(MAX_REQUESTS, Math.min(this.#capacity, max));
    const limit = Math.max(0, this.#capacity - this.#load);
    if (limit > 0) {
      this.#requested = limit;
      this.#received = 0;
    }
    return limit;
  }

  get #hasPlace(): boolean {
    if (this.#ordered) return this.#requests + this.#unrecorded === 0;
    return this.#requests < MAX_REQUESTS && this.#unrecorded < MAX_UNRECORDED;
  }

  get #load(): number {
    return this.#waiting.length + this.#requests + this.#unrecorded;
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    this.#completed = 0;
    this.#measuredAt = this.now();
  }
}
