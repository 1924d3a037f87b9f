import type pg from 'pg';
import { IS_LED, TRY_LOCK, UNLOCK } from './leadership.sql.js';

/** How soon a leader notices that its connection, and with it the lock, is lost. */
const HEARTBEAT_MS = 5_000;

/** Whether a process, this one included, holds the named lock. */
export const isLed = async (pool: pg.Pool, name: string): Promise<boolean> => {
  const { rows } = await pool.query<{ led: boolean }>(IS_LED, [name]);
  return rows[0]?.led ?? false;
};

/**
 * Runs `lead` while this process holds the named lock of the database. PostgreSQL releases it when the connection
 * ends. The lock belongs to the session, so a connection pooler must not share sessions.
 * @param lead receives a signal that aborts when leadership is lost or no longer wanted; it must end soon after.
 * @returns false, without calling `lead`, when another process leads.
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
    // A connection that may still hold the lock must not return to the pool.
    client.release(broken ?? connection.signal.aborted);
  }
};
