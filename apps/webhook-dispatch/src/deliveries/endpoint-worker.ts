import type { ClaimedDelivery } from './ports.js';

/** Calls under way to one endpoint at a time: what one that hangs can cost at most. */
export const CALLS_PER_ENDPOINT = 8;
/** Calls that are over and not recorded yet; with a database that does not answer no more of them are begun. */
const UNRECORDED_PER_ENDPOINT = 32;
/** Claims held for a quick endpoint, and for all of them. */
const MOST_PLACES = 128;
const MOST_PLACES_IN_ALL = 4_096;
/** A claim that waited this long is let go: an attempt begun later could outlive its lease. */
const CLAIM_LIFETIME_MS = 15_000;
/** What an endpoint has done in this time is what is claimed ahead for it. */
const PACE_MS = 250;

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly claimedAt: number;
}

/**
 * What this replica has claimed for one endpoint. It has as many places as the endpoint has lately been quick: they
 * double while all of them are worked off within a quarter of a second, and otherwise fall to what was. So a quick
 * endpoint is claimed for in large batches, one that hangs holds its calls and nothing besides, and what is claimed is
 * never old: a new secret or a disabled endpoint is heeded soon.
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
  private pacedAt: number;

  constructor(private readonly now: () => number = Date.now) {
    this.pacedAt = now();
  }

  get isEmpty(): boolean {
    return this.held === 0;
  }

  /** Whether it has been empty long enough to be forgotten. */
  get isIdle(): boolean {
    return this.isEmpty && this.now() - this.pacedAt > PACE_MS;
  }

  /** Whether it is time to claim more for it, and there is more, for the last claim got all that it asked for. */
  get runsLow(): boolean {
    if (this.granted < this.asked || this.held >= this.places) return false;
    return this.waiting.length === 0 || this.held <= this.places / 2;
  }

  put(delivery: ClaimedDelivery): void {
    this.granted++;
    this.waiting.push({ delivery, claimedAt: this.now() });
  }

  /** The next to call, if there is one and a call is free. */
  next(): ClaimedDelivery | undefined {
    while (this.calls < CALLS_PER_ENDPOINT && this.unrecorded < UNRECORDED_PER_ENDPOINT) {
      const first = this.waiting.shift();
      if (!first) return undefined;
      if (this.now() - first.claimedAt > CLAIM_LIFETIME_MS) continue;
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
    if (this.now() - this.pacedAt > PACE_MS) this.pace(this.ended);
    else if (this.ended >= this.places) this.pace(this.places * 2);
    const most = Math.min(MOST_PLACES, Math.floor(MOST_PLACES_IN_ALL / lanes));
    this.places = Math.max(CALLS_PER_ENDPOINT, Math.min(this.places, most));
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

  private pace(places: number): void {
    this.places = places;
    this.ended = 0;
    this.pacedAt = this.now();
  }
}
