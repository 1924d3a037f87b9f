import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';
import { ENDS, PROBE } from './position-before.sql.js';

/** Places that are probed at once; each is one descent of the index. */
const PROBES = 32;
/** Clocks of the processes that append may differ by less than this. */
const SKEW_MS = 3_600_000;

interface Probe {
  readonly n: number;
  readonly txid: string;
  readonly is_young: boolean;
}

/**
 * A position before every event that occurred at or after `time`, found by a search in the index of positions: times
 * grow with positions but for the skew of clocks. It goes to the earliest young event that a round of probes meets, so
 * a clock that was ahead makes it go further back, and one that was behind for a while is passed over.
 */
export const positionBefore = async (pool: Pick<pg.Pool, 'query'>, time: Date): Promise<Position> => {
  const { rows } = await pool.query<{ first: string | null; last: string | null }>(ENDS);
  const [ends] = rows;
  if (!ends?.first || !ends.last) return BEGINNING;
  // The event at or before `old` is old; the first one from `young` on is young.
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
    // No event lies between the place that was probed and the one that was found there.
    if (hit) young = old + (span * BigInt(hit.n) + BigInt(PROBES - 1)) / BigInt(PROBES);
    if (lastOld) old = BigInt(lastOld.txid);
  }
  return old < BigInt(ends.first) ? BEGINNING : { txid: old.toString(), pos: '0' };
};
