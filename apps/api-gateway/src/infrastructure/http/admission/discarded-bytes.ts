import { MIB } from '@postern/contracts';
import { TokenBuckets } from './token-buckets.js';

/** Sufficient for a client that uploads with an invalid key, but not for a flood. */
const BYTES_AT_ONCE = 16 * MIB;
const BYTES_PER_SECOND = 2 * MIB;

/** Bytes of refused bodies that are read and discarded, per client. */
export class DiscardedBytes {
  readonly #buckets: TokenBuckets;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(now?: () => number) {
    this.#buckets = new TokenBuckets(BYTES_PER_SECOND, BYTES_AT_ONCE, now);
  }

  /** Counts bytes. @returns whether the client may send more. */
  add(client: string, bytes: number): boolean {
    return this.#buckets.spend(client, bytes) === 0;
  }
}
