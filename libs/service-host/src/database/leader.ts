import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@postern/messaging';
import type pg from 'pg';

export interface LeaderOptions {
  readonly pool: pg.Pool;
  /** What is led; replicas of one service agree on it. */
  readonly name: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** How often a follower tries (2 s). */
  readonly retryMs?: number;
}

/**
 * Runs `work` in at most one replica at a time, for as long as the service runs. The lock is a PostgreSQL session, held
 * on a connection of its own: when that is lost, the signal given to `work` is aborted at once, and somebody else takes
 * over. `work` has to end soon after its signal; ending earlier makes it run again.
 */
export const whileLeading = async (
  { pool, name, log, stopping, retryMs = 2_000 }: LeaderOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  while (!stopping.aborted) {
    try {
      await leadOnce(pool, name, stopping, work);
    } catch (error) {
      if (!stopping.aborted) log.warn({ err: error, leads: name }, 'Leadership was interrupted');
    }
    await pause(retryMs, undefined, { signal: stopping }).catch(() => {});
  }
};

const leadOnce = async (
  pool: pg.Pool,
  name: string,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const session = await pool.connect();
  const lost = new AbortController();
  session.on('error', error => lost.abort(error));
  session.on('end', () => lost.abort(new Error('the lock’s connection ended')));
  try {
    const { rows } = await session.query<{ leads: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS leads',
      [`postern:leader:${name}`],
    );
    if (rows[0]?.leads) await work(AbortSignal.any([lost.signal, stopping]));
  } finally {
    // Ending the session is what frees the lock, also when its state is unknown.
    session.release(true);
  }
};
