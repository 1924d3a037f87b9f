import type pg from 'pg';
import { Lease } from './lease.js';
import { countFromZero } from './observe-lag.js';

let countLost: ((by: number) => void) | undefined;

const leaseOf = (name: string): string => `leader ${name}`;

/** Whether a process, this one included, leads under this name. */
export const isLed = (pool: pg.Pool, name: string): Promise<boolean> => Lease.isHeld(pool, leaseOf(name));

/**
 * Runs `lead` while this process holds the lease of this name, which it renews. A leader that dies, or that PostgreSQL
 * does not answer, is replaced after the time in `LEASE_LIMITS`.
 * @param lead receives a signal that aborts when leadership is lost or no longer wanted; it must end soon after. A write
 * that must not come from a former leader calls `lease.require` in its transaction.
 * @returns false, without calling `lead`, when another process leads.
 */
export const withLeadership = async (
  pool: pg.Pool,
  name: string,
  stop: AbortSignal,
  lead: (lost: AbortSignal, lease: Lease) => Promise<void>,
): Promise<boolean> => {
  const lease = await Lease.take(pool, leaseOf(name));
  if (!lease) return false;
  countLost ??= countFromZero('postern.leadership.lost', 'Number of times that this process lost a leadership');
  lease.lost.addEventListener('abort', () => countLost?.(1), { once: true });
  try {
    await lead(AbortSignal.any([stop, lease.lost]), lease);
    return true;
  } finally {
    await lease.release();
  }
};
