/** How much a bucket holds, in seconds of its rate. */
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

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    private readonly perSecond: number,
    private readonly burst = perSecond * BURST_S,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes tokens. @returns seconds until there are so many; 0 if they were taken. */
  spend(key: string, tokens = 1): number {
    const now = this.now();
    this.forgetFull(now);
    const bucket = this.buckets.get(key) ?? { tokens: this.burst, at: now };
    this.buckets.set(key, bucket);
    bucket.tokens = this.tokensOf(bucket, now);
    bucket.at = now;
    if (bucket.tokens < tokens) return (tokens - bucket.tokens) / this.perSecond;
    bucket.tokens -= tokens;
    return 0;
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
