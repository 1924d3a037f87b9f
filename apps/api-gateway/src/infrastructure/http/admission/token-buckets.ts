/** Capacity of a bucket, in seconds of its rate. A larger burst would delay the requests of others. */
export const BURST_S = 2;
const FORGET_INTERVAL_MS = 10_000;

interface Bucket {
  tokens: number;
  /** When the tokens were last updated. */
  at: number;
}

/** Token buckets of one rate, by key; an unused bucket is full and is deleted. */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();
  #forgetAt = 0;

  /**
   * @param now a monotonic clock, in milliseconds.
   * @param debt how far below zero `take` may go.
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst = perSecond * BURST_S,
    private readonly now: () => number = () => performance.now(),
    private readonly debt = 0,
  ) {}

  /** Takes tokens. @returns the seconds until enough are available; 0 if they were taken. */
  spend(key: string, tokens = 1): number {
    const bucket = this.#bucketOf(key);
    if (bucket.tokens < tokens) return (tokens - bucket.tokens) / this.perSecond;
    bucket.tokens -= tokens;
    return 0;
  }

  /** Takes tokens, down to the debt limit. */
  take(key: string, tokens = 1): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.max(-this.debt, bucket.tokens - tokens);
  }

  /** Refunds a token. */
  refund(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens = Math.min(this.burst, bucket.tokens + 1);
  }

  /** Lowers the bucket to at most `most` tokens. */
  lower(key: string, most: number): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.min(bucket.tokens, most);
  }

  /** The current number of tokens. */
  level(key: string): number {
    const bucket = this.#buckets.get(key);
    return bucket ? this.#tokensOf(bucket, this.now()) : this.burst;
  }

  /** Seconds until a token is available; 0 or less if there is one. */
  secondsUntilOne(key: string): number {
    return (1 - this.level(key)) / this.perSecond;
  }

  /** The bucket, updated to the current time. */
  #bucketOf(key: string): Bucket {
    const now = this.now();
    this.#forgetFull(now);
    let bucket = this.#buckets.get(key);
    if (bucket) {
      bucket.tokens = this.#tokensOf(bucket, now);
      bucket.at = now;
    } else {
      bucket = { tokens: this.burst, at: now };
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  #tokensOf({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.burst, tokens + ((now - at) / 1_000) * this.perSecond);
  }

  #forgetFull(now: number): void {
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_INTERVAL_MS;
    for (const [key, bucket] of this.#buckets) if (this.#tokensOf(bucket, now) >= this.burst) this.#buckets.delete(key);
  }
}
