import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';
import { asTemporarilyUnavailable } from './database/temporary-faults.js';

/** Tries until it works, for as long as the fault is that the other side is not there (yet). */
export const persistently = async <T>(work: () => Promise<T>, log: Log, whom: string): Promise<T> => {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      if (!asTemporarilyUnavailable(error)) throw error;
      log.warn({ err: error, waitMs }, `Waiting for ${whom}`);
      await pause(waitMs);
    }
  }
};
