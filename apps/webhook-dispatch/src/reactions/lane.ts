import type { ClaimedDelivery } from '../ports.js';

/** Calls under way to one endpoint at a time: what one that hangs can cost at most. */
export const CALLS_PER_ENDPOINT = 8;
/** Calls that are over and not recorded yet; with a database that does not answer no more of them are begun. */
const UNRECORDED_PER_ENDPOINT = 32;
/** Claims held for a quick endpoint, and for all of them. */
const MOST_PLACES = 128;
const MOST_PLACES_IN_ALL = 4_096;
/** A claim that waited this long is let go: an attempt begun later could outlive its lease. */
const CLAIM_LIFETIME_MS = 15_000;
const PACE_MS = 1_000;

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly claimedAt: number;
}

/**
 * What this replica has claimed for one endpoint. It has as many places as the endpoint has lately been quick: they
 * double while all of them are worked off within a second, and fall to the calls at a time when fewer are. So a quick
 * endpoint is claimed for in large batches, and one that hangs holds its calls and nothing besides.
 */
export class Lane {
  private readonly waiting: Waiting[] = [];
  private calls = 0;
  private unrecorded = 0;
  private places = CALLS_PER_ENDPOINT;
  private ended = 0;
  /** A new lane is there because so many were claimed for an endpoint without one. */
  private asked = CALLS_PER_ENDPOINT;
  private granted = 0;
  private pacedAt = Date.now();

  get isEmpty(): boolean {
    return this.held === 0;
  }

  /** Whether it has been empty long enough to be forgotten. */
  get isIdle(): boolean {
    return this.isEmpty && Date.now() - this.pacedAt > PACE_MS;
  }

  /** Whether it is time to claim more for it, and there is more, for the last claim got all that it asked for. */
  get runsLow(): boolean {
    return this.granted >= this.asked && this.held <= this.places / 2;
  }

  put(delivery: ClaimedDelivery): void {
    this.granted++;
    this.waiting.push({ delivery, claimedAt: Date.now() });
  }

  /** The next to call, if there is one and a call is free. */
  next(): ClaimedDelivery | undefined {
    while (this.calls < CALLS_PER_ENDPOINT && this.unrecorded < UNRECORDED_PER_ENDPOINT) {
      const first = this.waiting.shift();
      if (!first) return undefined;
      if (Date.now() - first.claimedAt > CLAIM_LIFETIME_MS) continue;
      this.calls++;
      return first.delivery;
    }
    return undefined;
  }

  called(): void {
    this.calls--;
    this.unrecorded++;
  }

  recorded(): void {
    this.unrecorded--;
    this.ended++;
  }

  /** Lets go of what has not been called. */
  clear(): void {
    this.waiting.length = 0;
  }

  /** How many more may be claimed for it, where so many lanes share what a replica may hold. */
  free(lanes: number): number {
    const now = Date.now();
    if (this.ended >= this.places) this.pace(this.places * 2, now);
    else if (now - this.pacedAt > PACE_MS) this.pace(this.ended, now);
    this.places = Math.min(this.places, Math.floor(MOST_PLACES_IN_ALL / lanes));
    this.places = Math.max(CALLS_PER_ENDPOINT, Math.min(this.places, MOST_PLACES));
    const free = Math.max(0, this.places - this.held);
    if (free > 0) {
      this.asked = free;
      this.granted = 0;
    }
    return free;
  }

  private get held(): number {
    return this.waiting.length + this.calls + this.unrecorded;
  }

  private pace(places: number, now: number): void {
    this.places = places;
    this.ended = 0;
    this.pacedAt = now;
  }
}
