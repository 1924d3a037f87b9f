/** How much a bucket holds, in seconds of its rate. A larger burst delays the requests of others. */
export const BURST_S = 2;
const FORGET_INTERVAL_MS = 10_000;

interface Bucket {
  tokens: number;
  /** When it was brought up to date. */
  at: number;
}

/** Token buckets of one rate, by key; a bucket that nobody uses is full, and forgotten. */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private forgetAt = 0;

  /**
   * @param now milliseconds of a clock that never goes back.
   * @param debt how far below zero `take` goes.
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst = perSecond * BURST_S,
    private readonly now: () => number = () => performance.now(),
    private readonly debt = 0,
  ) {}

  /** Takes tokens. @returns seconds until there are so many; 0 if they were taken. */
  spend(key: string, tokens = 1): number {
    const bucket = this.bucketOf(key);
    if (bucket.tokens < tokens) return (tokens - bucket.tokens) / this.perSecond;
    bucket.tokens -= tokens;
    return 0;
  }

  /** Takes tokens, or what there is of them. */
  take(key: string, tokens = 1): void {
    const bucket = this.bucketOf(key);
    bucket.tokens = Math.max(-this.debt, bucket.tokens - tokens);
  }

  /** Gives back a token that was taken. */
  refund(key: string): void {
    const bucket = this.buckets.get(key);
    if (bucket) bucket.tokens = Math.min(this.burst, bucket.tokens + 1);
  }

  /** Leaves at most so many tokens. */
  lower(key: string, most: number): void {
    const bucket = this.bucketOf(key);
    bucket.tokens = Math.min(bucket.tokens, most);
  }

  /** The tokens of now. */
  level(key: string): number {
    const bucket = this.buckets.get(key);
    return bucket ? this.tokensOf(bucket, this.now()) : this.burst;
  }

  /** Seconds until there is a token; 0 or less if there is one. */
  secondsUntilOne(key: string): number {
    return (1 - this.level(key)) / this.perSecond;
  }

  /** The bucket with what it holds now. */
  private bucketOf(key: string): Bucket {
    const now = this.now();
    this.forgetFull(now);
    let bucket = this.buckets.get(key);
    if (bucket) {
      bucket.tokens = this.tokensOf(bucket, now);
      bucket.at = now;
    } else {
      bucket = { tokens: this.burst, at: now };
      this.buckets.set(key, bucket);
    }
    return bucket;
  }

  private tokensOf({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.burst, tokens + ((now - at) / 1_000) * this.perSecond);
  }

  private forgetFull(now: number): void {
    if (now < this.forgetAt) return;
    this.forgetAt = now + FORGET_INTERVAL_MS;
    for (const [key, bucket] of this.buckets) if (this.tokensOf(bucket, now) >= this.burst) this.buckets.delete(key);
  }
}
