import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '@postern/messaging';
import { asTemporarilyUnavailable } from '@postern/service-host';

/** How long a write that the database refuses is retried. An unavailable database is waited for without a limit. */
const RETRY_FOR_MS = 60_000;

/** Retries while the database is unavailable, and for a minute when it refuses. */
export async function untilWritten<T>(write: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + RETRY_FOR_MS;
  const backoff = Backoff.exponential({ firstMs: 50, maxMs: 2_000 });
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const waitMs = backoff.next();
      if (Date.now() + waitMs > giveUpAt && !asTemporarilyUnavailable(error)) throw error;
      await pause(waitMs, undefined, { ref: false });
    }
  }
}
