import { Backoff, type Log } from '@postern/messaging';
import { asTemporarilyUnavailable } from './database/temporary-faults.js';

/**
 * Retries `work` until it succeeds, as long as it fails only because `dependency` is unavailable; throws any other
 * error.
 */
export const retryUntilAvailable = async <T>(work: () => Promise<T>, log: Log, dependency: string): Promise<T> => {
  const backoff = Backoff.exponential({ firstMs: 250, maxMs: 5_000 });
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!asTemporarilyUnavailable(error)) throw error;
      log.warn({ err: error }, `Waiting for ${dependency}`);
      await backoff.pause();
    }
  }
};
