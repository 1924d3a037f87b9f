import { Backoff } from '@postern/messaging/backoff';

const MINUTE_MS = 60_000;
const DELAYS_MINUTES = [1, 2, 5, 10, 15, 30] as const;
const WINDOW_MS = 4 * 60 * MINUTE_MS;

/** When retries of a deferred copy end, counted from the acceptance of its message. */
export const retryDeadline = (acceptedAt: Date): Date => new Date(acceptedAt.getTime() + WINDOW_MS);

/** When a copy is retried after so many retries; the last retry is at the deadline. */
export function nextTry(tries: number, now: Date, deadline: Date): Date {
  const delayMs = MINUTE_MS * Backoff.delayAt(tries, DELAYS_MINUTES);
  return new Date(Math.min(now.getTime() + delayMs, Math.max(now.getTime(), deadline.getTime())));
}
