import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';

/** Network and start-up states of a server that is on its way (PostgreSQL's class 57P is "shutting down, starting up"). */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
]);

/** Tries until it works, for as long as the fault is that the other side is not there (yet). */
export const persistently = async <T>(work: () => Promise<T>, log: Log, whom: string): Promise<T> => {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      log.warn({ err: error, waitMs }, `Waiting for ${whom}`);
      await pause(waitMs);
    }
  }
};

const isPassing = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.every(isPassing);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && PASSING.has(error.code);
};
