import type pg from 'pg';
import { IS_LED, TRY_LOCK, UNLOCK } from './leadership.sql.js';

/** Interval at which a leader checks that its connection, and with it the lock, is not lost. */
const HEARTBEAT_MS = 5_000;

/** Connections reserved for queries: the work of a leader needs one besides the connection that holds its lock. */
const RESERVED = 4;

/** Limits the leaders that hold a connection of a pool at the same time, and queues the others. */
class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free === 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.free -= 1;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

const slots = new WeakMap<pg.Pool, Slots>();

const slotsOf = (pool: pg.Pool): Slots => {
  const known = slots.get(pool) ?? new Slots(Math.max(1, (pool.options.max ?? 10) - RESERVED));
  slots.set(pool, known);
  return known;
};

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
  const places = slotsOf(pool);
  await places.take();
  try {
    return await leadWith(await pool.connect(), name, stop, lead);
  } finally {
    places.give();
  }
};

const leadWith = async (
  client: pg.PoolClient,
  name: string,
  stop: AbortSignal,
  lead: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> => {
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
    try {
      await lead(AbortSignal.any([stop, connection.signal]));
    } finally {
      // Unlocks at once, so that the next leader does not wait until PostgreSQL detects a closed connection.
      if (!connection.signal.aborted) await client.query(UNLOCK, [name]);
    }
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
