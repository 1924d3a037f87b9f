import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';
import { ENDS, PROBE } from './position-before.sql.js';

/** Positions per probe; each is one index lookup. */
const PROBES = 32;
/** The largest expected difference between the clocks of appending processes. */
const SKEW_MS = 3_600_000;

interface Probe {
  readonly n: number;
  readonly txid: string;
  readonly is_young: boolean;
}

/**
 * A position before every event that occurred at or after `time`, found by a search in the index of positions: times
 * grow with positions, apart from clock skew. The search continues from the earliest young event of each probe.
 */
export const positionBefore = async (pool: Pick<pg.Pool, 'query'>, time: Date): Promise<Position> => {
  const { rows } = await pool.query<{ first: string | null; last: string | null }>(ENDS);
  const [ends] = rows;
  if (!ends?.first || !ends.last) return BEGINNING;
  // Events up to `old` are old; the first event from `young` on is young.
  let old = BigInt(ends.first) - 1n;
  let young = BigInt(ends.last) + 1n;
  const after = new Date(time.getTime() - SKEW_MS);
  while (young - old > 1n) {
    const { rows: probes } = await pool.query<Probe>({
      name: 'event-store-position-before',
      text: PROBE(PROBES),
      values: [old.toString(), young.toString(), after],
    });
    const firstYoung = probes.findIndex(probe => probe.is_young);
    const lastOld = probes[(firstYoung < 0 ? probes.length : firstYoung) - 1];
    const hit = probes[firstYoung];
    if (!hit && !lastOld) break;
    const span = young - old;
    // No event lies between the probed position and the event found there.
    if (hit) young = old + (span * BigInt(hit.n) + BigInt(PROBES - 1)) / BigInt(PROBES);
    if (lastOld) old = BigInt(lastOld.txid);
  }
  return old < BigInt(ends.first) ? BEGINNING : { txid: old.toString(), pos: '0' };
};
