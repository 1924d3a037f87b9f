import { MIB } from '@postern/contracts';
import { TokenBuckets } from './token-buckets.js';

/** For a client that uploads with an invalid key, and not for one that floods. */
const BYTES_AT_ONCE = 16 * MIB;
const BYTES_PER_SECOND = 2 * MIB;

/** Bytes of refused bodies that are read to discard them, of each client. */
export class DiscardedBytes {
  private readonly buckets: TokenBuckets;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(now?: () => number) {
    this.buckets = new TokenBuckets(BYTES_PER_SECOND, BYTES_AT_ONCE, now);
  }

  /** Counts bytes. @returns whether the client may send more. */
  add(client: string, bytes: number): boolean {
    return this.buckets.spend(client, bytes) === 0;
  }
}
