import type pg from 'pg';
import { inTransaction } from './transaction.js';

/** An event as an erasure sees it. */
export interface ErasableEvent {
  readonly streamId: string;
  readonly type: string;
  readonly data: object;
}

export interface Erasure {
  /** A text that every event concerned contains, in whatever case; only these are looked at. */
  readonly containing: string;
  /** The data without what has to go, or undefined where the event has nothing of it. */
  readonly without: (event: ErasableEvent) => object | undefined;
  /** What the note of the erasure is kept under; nothing by which the person could be found. */
  readonly noteAs: string;
}

interface Row {
  readonly txid: string;
  readonly pos: string;
  readonly stream_id: string;
  readonly type: string;
  readonly data: object;
}

/** Events looked through by one statement: enough to be quick, few enough for anybody's statement timeout. */
const PAGE = 20_000;

/**
 * Takes what a person has the right to have erased out of stored events: the one exception from append-only. Only
 * `data` can be rewritten, and a note of each erasure stays. Projections that saw these events have to be rebuilt.
 * May be repeated, and has to be where events about the person were still being written.
 * @returns the events as they were.
 */
export const eraseFromEvents = async (pool: pg.Pool, erasure: Erasure): Promise<ErasableEvent[]> => {
  const erased: ErasableEvent[] = [];
  for (let from = { txid: '0', pos: '0' }; ; ) {
    const end = await endOfPage(pool, from);
    const changed = (await rowsWithin(pool, from, end, erasure.containing)).flatMap(row => {
      const event = { streamId: row.stream_id, type: row.type, data: row.data };
      const data = erasure.without(event);
      return data ? [{ row, event, data }] : [];
    });
    if (changed.length > 0) {
      await inTransaction(pool, async client => {
        await client.query("SELECT set_config('event_store.erasing', 'on', true)");
        await client.query(
          `UPDATE event_store.events AS e SET data = fresh.data
           FROM unnest($1::text[], $2::bigint[], $3::jsonb[]) AS fresh (txid, pos, data)
           WHERE e.txid = fresh.txid::xid8 AND e.pos = fresh.pos`,
          [
            changed.map(({ row }) => row.txid),
            changed.map(({ row }) => row.pos),
            changed.map(({ data }) => JSON.stringify(data)),
          ],
        );
        await client.query(
          `INSERT INTO event_store.erasures AS known (noted_as, events) VALUES ($1, $2)
           ON CONFLICT (noted_as) DO UPDATE SET events = known.events + excluded.events, at = now()`,
          [erasure.noteAs, changed.length],
        );
      });
    }
    for (const { event } of changed) erased.push(event);
    if (!end) break;
    from = end;
  }
  if (erased.length > 0) await vacuum(pool);
  return erased;
};

interface Place {
  readonly txid: string;
  readonly pos: string;
}

const endOfPage = async (pool: pg.Pool, from: Place): Promise<Place | undefined> => {
  const { rows } = await pool.query<Place>(
    `SELECT e.txid::text AS txid, e.pos::text AS pos FROM event_store.events e
     WHERE (e.txid, e.pos) > ($1::xid8, $2::bigint) ORDER BY e.txid, e.pos OFFSET $3 LIMIT 1`,
    [from.txid, from.pos, PAGE - 1],
  );
  return rows[0];
};

const rowsWithin = async (pool: pg.Pool, from: Place, end: Place | undefined, containing: string): Promise<Row[]> => {
  const { rows } = await pool.query<Row>(
    `SELECT e.txid::text AS txid, e.pos::text AS pos, e.stream_id, e.type, e.data FROM event_store.events e
     WHERE (e.txid, e.pos) > ($1::xid8, $2::bigint) AND ($3::text IS NULL OR (e.txid, e.pos) <= ($3::xid8, $4::bigint))
       AND strpos(lower(e.data::text), $5) > 0
     ORDER BY e.txid, e.pos`,
    [from.txid, from.pos, end?.txid ?? null, end?.pos ?? null, inJson(containing)],
  );
  return rows;
};

const inJson = (text: string): string => JSON.stringify(text.toLowerCase()).slice(1, -1);

/** The old rows stay in the table's file until then; a table that only grows is seldom vacuumed by itself. */
const vacuum = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query('VACUUM event_store.events');
  } finally {
    // The connection goes with its setting.
    client.release(true);
  }
};
