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

  /** Takes one token. @returns seconds until there is one; 0 if it was taken. */
  spend(key: string): number {
    const bucket = this.bucketOf(key);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  /** Takes one token, or what there is of it. */
  drain(key: string): void {
    const bucket = this.bucketOf(key);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
  }

  /** Gives back a token that was taken. */
  refund(key: string): void {
    const bucket = this.buckets.get(key);
    if (bucket) bucket.tokens = Math.min(this.burst, bucket.tokens + 1);
  }

  isEmpty(key: string): boolean {
    const bucket = this.buckets.get(key);
    return bucket !== undefined && this.tokensOf(bucket, this.now()) < 1;
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
