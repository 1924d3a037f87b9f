const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between attempts: about 24 hours in all. */
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

/** How far a pause may stray to either side, so that what failed together does not come back together. */
export const JITTER = 0.2;

/**
 * The pause after the `attempt`-th failed attempt (the first is 1), or undefined when the schedule is over.
 * @param chance a number from 0 up to 1.
 */
export const retryDelayMs = (attempt: number, chance: number): number | undefined => {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
};
