const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays between attempts, about 24 hours in total. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
];

/** Relative jitter in both directions, so that deliveries that failed together are not retried together. */
export const JITTER = 0.2;

/**
 * Returns the delay after the `attempt`-th failed attempt (the first is 1), or undefined after the last.
 * @param random a number from 0 to 1.
 */
export const retryDelayMs = (attempt: number, random: number): number | undefined => {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
};
