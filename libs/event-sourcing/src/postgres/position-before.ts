import type pg from 'pg';
import { BEGINNING, type Position } from '../event.js';

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
 * Evenly spread transaction numbers of a range, and the first event at or after each of them. The last one is the
 * range's end, which is known to be young.
 */
const PROBE = `
  SELECT n, found.txid::text AS txid, found.occurred_at >= $3 AS is_young
  FROM generate_series(1, ${PROBES}) AS n
  CROSS JOIN LATERAL (
    SELECT txid, occurred_at FROM event_store.events
    WHERE txid >= ($1::numeric + ceil(($2::numeric - $1::numeric) * n / ${PROBES}))::text::xid8
    ORDER BY events.txid, events.pos LIMIT 1
  ) AS found
  ORDER BY n`;

const ENDS = `
  SELECT (SELECT txid::text FROM event_store.events ORDER BY events.txid, events.pos LIMIT 1) AS first,
         (SELECT txid::text FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1) AS last`;

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
      text: PROBE,
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
