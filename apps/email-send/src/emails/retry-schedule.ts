const MINUTE_MS = 60_000;
const DELAYS_MS = [1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE_MS);
const WINDOW_MS = 4 * 60 * MINUTE_MS;

/** When retries of a deferred copy end, counted from the acceptance of its message. */
export const retryDeadline = (acceptedAt: Date): Date => new Date(acceptedAt.getTime() + WINDOW_MS);

/** When a copy is retried after so many retries; the last retry is at the deadline. */
export function nextTry(tries: number, now: Date, deadline: Date): Date {
  const delayMs = DELAYS_MS[Math.min(tries, DELAYS_MS.length - 1)]!;
  return new Date(Math.min(now.getTime() + delayMs, Math.max(now.getTime(), deadline.getTime())));
}
