import type pg from 'pg';
import { IS_LED, TRY_LOCK, UNLOCK } from './leadership.sql.js';

/** How soon a leader notices that its connection, and the lock with it, has silently gone. */
const HEARTBEAT_MS = 5_000;

/** Whether some process holds the named lock, this one included. */
export const isLed = async (pool: pg.Pool, name: string): Promise<boolean> => {
  const { rows } = await pool.query<{ led: boolean }>(IS_LED, [name]);
  return rows[0]?.led ?? false;
};

/**
 * Runs `lead` while this process holds the named lock, which one process of the whole database can. PostgreSQL
 * frees it when the connection ends, so a killed leader is succeeded as soon as the server notices. The lock is the session's, so a pooler must not share sessions.
 * @param lead is given a signal that aborts when leadership is lost or no longer wanted; it must end soon after.
 * @returns false, without having called `lead`, when somebody else leads.
 */
export const withLeadership = async (
  pool: pg.Pool,
  name: string,
  stop: AbortSignal,
  lead: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> => {
  const client = await pool.connect();
  const connection = new AbortController();
  const onError = () => connection.abort();
  client.on('error', onError);
  client.on('end', onError);
  let broken: Error | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    const { rows } = await client.query<{ led: boolean }>(TRY_LOCK, [name]);
    if (!rows[0]?.led) return false;
    heartbeat = setInterval(() => client.query('SELECT 1').catch(onError), HEARTBEAT_MS);
    await lead(AbortSignal.any([stop, connection.signal]));
    if (!connection.signal.aborted) await client.query(UNLOCK, [name]);
    return true;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    clearInterval(heartbeat);
    client.off('error', onError);
    client.off('end', onError);
    // A connection that may still hold the lock must not go back into the pool.
    client.release(broken ?? connection.signal.aborted);
  }
};
