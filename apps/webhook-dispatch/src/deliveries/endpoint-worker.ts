import type { ClaimedDelivery } from './ports.js';

/** Concurrent requests per endpoint; bounds the cost of an endpoint that does not respond. */
export const MAX_REQUESTS = 8;
/** Completed requests that are not recorded yet; bounds what is repeated after a crash while the database is slow. */
const MAX_UNRECORDED = 32;
/** Claims held for one endpoint, and for all of them. */
const MAX_CLAIMS = 128;
const MAX_TOTAL_CLAIMS = 4_096;
/** Older claims are released, because an attempt could outlive their lease. */
const CLAIM_LIFETIME_MS = 15_000;
/** The capacity follows the throughput of this interval. */
const THROUGHPUT_INTERVAL_MS = 250;

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly claimedAt: number;
}

/**
 * The deliveries that this replica has claimed for one endpoint. The capacity doubles while a full load completes within
 * the interval, and otherwise falls to the measured throughput: fast endpoints get large batches, slow ones none ahead.
 */
export class EndpointWorker {
  readonly #waiting: Waiting[] = [];
  #requests = 0;
  #unrecorded = 0;
  #capacity = MAX_REQUESTS;
  #completed = 0;
  /** A worker is created by a claim with this limit. */
  #requested = MAX_REQUESTS;
  #received = 0;
  #measuredAt: number;

  constructor(
    readonly serviceId: string,
    private readonly now: () => number = Date.now,
  ) {
    this.#measuredAt = now();
  }

  get isEmpty(): boolean {
    return this.#load === 0;
  }

  /** Whether it has been empty for an interval and can be discarded. */
  get isIdle(): boolean {
    return this.isEmpty && this.now() - this.#measuredAt > THROUGHPUT_INTERVAL_MS;
  }

  /** Whether to claim more. Only true if the last claim was full, so more deliveries are probably due. */
  get needsMore(): boolean {
    if (this.#received < this.#requested || this.#load >= this.#capacity) return false;
    return this.#waiting.length === 0 || this.#load <= this.#capacity / 2;
  }

  add(delivery: ClaimedDelivery): void {
    this.#received++;
    this.#waiting.push({ delivery, claimedAt: this.now() });
  }

  /** Starts the next request if the limits permit one. */
  next(): ClaimedDelivery | undefined {
    while (this.#requests < MAX_REQUESTS && this.#unrecorded < MAX_UNRECORDED) {
      const first = this.#waiting.shift();
      if (!first) return undefined;
      if (this.now() - first.claimedAt > CLAIM_LIFETIME_MS) continue;
      this.#requests++;
      return first.delivery;
    }
    return undefined;
  }

  /** A request is over. */
  onResponse(): void {
    this.#requests--;
    this.#unrecorded++;
  }

  /** The attempt of a request is recorded. */
  onRecorded(): void {
    this.#unrecorded--;
    this.#completed++;
  }

  /** Drops the claims that have not been attempted; they become due when their lease ends. */
  release(): void {
    this.#waiting.length = 0;
  }

  /** Returns how many more deliveries to claim, if all claims of the replica are divided into `parts`. */
  claimLimit(parts: number): number {
    if (this.now() - this.#measuredAt > THROUGHPUT_INTERVAL_MS) this.#resize(this.#completed);
    else if (this.#completed >= this.#capacity) this.#resize(this.#capacity * 2);
    const max = Math.min(MAX_CLAIMS, Math.floor(MAX_TOTAL_CLAIMS / parts));
    this.#capacity = Math.max(MAX_REQUESTS, Math.min(this.#capacity, max));
    const limit = Math.max(0, this.#capacity - this.#load);
    if (limit > 0) {
      this.#requested = limit;
      this.#received = 0;
    }
    return limit;
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
