/** How often and when requests are repeated. */
export interface RetryOptions {
  /** How many times a request is repeated at most; 4 by default, after 1, 2, 4 and 8 seconds. */
  readonly maxRetries: number;
  /** The longest `Retry-After` in seconds that is waited for; 60 by default. A longer one ends the attempts. */
  readonly maxRetryAfterS: number;
}

export const DEFAULT_RETRIES: RetryOptions = { maxRetries: 4, maxRetryAfterS: 60 };

const FIRST_DELAY_MS = 1_000;
const JITTER = 0.2;

/**
 * Milliseconds before the next attempt: 1, 2, 4 or 8 seconds with 20 % of jitter, and not less than `Retry-After`.
 * Undefined if there is no next attempt.
 */
export const delayBeforeRetry = (
  retriesSoFar: number,
  retryAfterS: number | undefined,
  { maxRetries, maxRetryAfterS }: RetryOptions,
  random: () => number = Math.random,
): number | undefined => {
  if (retriesSoFar >= maxRetries || (retryAfterS ?? 0) > maxRetryAfterS) return undefined;
  const delayMs = FIRST_DELAY_MS * 2 ** retriesSoFar * (1 - JITTER + 2 * JITTER * random());
  return Math.max(delayMs, (retryAfterS ?? 0) * 1_000);
};

/** Whether a request with this answer is repeated: on 429 and 5xx only. */
export const isRetryable = (status: number): boolean => status === 429 || status >= 500;
