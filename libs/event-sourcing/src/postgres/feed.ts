import type pg from 'pg';
import { BEGINNING, type Position, type RecordedEvent } from '../event.js';
import type { Upcasters } from '../upcasting.js';
import type { Lag } from './observe-lag.js';
import { recordedEvent, STORED_COLUMNS, type StoredEvent } from './stored-event.js';

export interface FeedPage {
  /** Events of the asked types, in commit order. */
  readonly events: readonly RecordedEvent[];
  /** How far the page reaches, events of other types included; where it began when there was nothing. */
  readonly position: Position;
  /** Whether more may follow at once. */
  readonly full: boolean;
  /** Whether committed events lie behind the page that an older transaction, still running, keeps hidden. */
  readonly hidden: boolean;
}

/** Events of other types stay in the database, but for the last one of a page, which says how far it reaches. */
const ASKED = '($3::text[] IS NULL OR type = ANY ($3))';

interface FeedRow extends Omit<StoredEvent, 'data'> {
  readonly data: object | null;
  readonly place: string | null;
  readonly hidden: boolean | null;
}

type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

const NEWEST = '(SELECT txid FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1)';

/**
 * The oldest transaction that may still add events: of all that run in the cluster as the statement's snapshot sees
 * them, the first that is not known to belong to another database. A transaction never changes its database, so one
 * that is known to be elsewhere writes nothing here; one that cannot be found any more counts as ours. Who runs is only
 * asked where an event is younger than the oldest of them.
 */
const HORIZON = `
  SELECT CASE WHEN ${NEWEST} < pg_snapshot_xmin(pg_current_snapshot()) THEN pg_snapshot_xmin(pg_current_snapshot())
    ELSE coalesce((
      SELECT running FROM pg_snapshot_xip(pg_current_snapshot()) AS running
      WHERE NOT EXISTS (
        SELECT FROM pg_stat_get_activity(NULL) AS session
        WHERE session.backend_xid = running::xid
          AND session.datid <> (SELECT oid FROM pg_database WHERE datname = current_database())
      )
      ORDER BY running LIMIT 1
    ), pg_snapshot_xmax(pg_current_snapshot()))
  END AS txid`;

/**
 * Everything after a position, in an order that no later commit can disturb: only transactions older than every one
 * of this database that still runs are shown, so an open write transaction in it holds the feed back until it ends.
 * The order names the table, because a bare `txid` would be the column of the result, which is text.
 */
const read = (limit: number): string => `
  WITH horizon AS MATERIALIZED (${HORIZON})
  SELECT ${STORED_COLUMNS.replace(' data,', ` CASE WHEN ${ASKED} THEN data END AS data,`)}, place, hidden
  FROM (
    -- The end of the index and no EXISTS, for which the planner may go through the whole table.
    SELECT ${NEWEST} >= (SELECT txid FROM horizon) AS hidden
  ) AS behind LEFT JOIN (
    SELECT page.*, row_number() OVER ordered AS place, lead(pos) OVER ordered IS NULL AS is_last
    FROM (
      -- Cut at the horizon behind the limit: to the planner it is an unknown, for which it would sort the whole table.
      SELECT * FROM (
        SELECT * FROM event_store.events
        WHERE (txid, pos) > ($1::xid8, $2::bigint) AND txid < pg_snapshot_xmax(pg_current_snapshot())
        ORDER BY events.txid, events.pos
        LIMIT ${limit}
      ) AS candidates
      WHERE candidates.txid < (SELECT txid FROM horizon)
    ) AS page
    WINDOW ordered AS (ORDER BY page.txid, page.pos)
  ) AS events ON is_last OR ${ASKED}
  ORDER BY events.txid, events.pos`;

export const readFeed = async (
  db: Queryable,
  after: Position,
  limit: number,
  { types, upcasters = {} }: { readonly types?: readonly string[] | undefined; readonly upcasters?: Upcasters } = {},
): Promise<FeedPage> => {
  // An event of an older type may become one of the asked types only by its upcaster.
  const stored = types && [...types, ...Object.keys(upcasters)];
  const { rows } = await db.query<FeedRow>({
    // The limit is part of the text: a plan that does not know it sorts the whole table rather than use the index.
    name: `event-store-read-feed-${limit}`,
    text: read(limit),
    values: [after.txid, after.pos, stored ?? null],
  });
  const last = rows.at(-1);
  const reached = last?.place ? last : undefined;
  return {
    events: rows
      .filter((row): row is FeedRow & StoredEvent => row.data !== null)
      .map(row => recordedEvent(row, upcasters))
      .filter(event => types?.includes(event.type) ?? true),
    position: reached ? { txid: reached.txid, pos: reached.pos } : after,
    full: Number(reached?.place ?? 0) === limit,
    hidden: last?.hidden ?? false,
  };
};

/** How many events lie after a position; counts no further than `limit`. */
export const countAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<number> => {
  const { rows } = await db.query<{ count: string }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM event_store.events WHERE (txid, pos) > ($1::xid8, $2::bigint) LIMIT $3) AS ahead',
    [after.txid, after.pos, limit],
  );
  return Number(rows[0]?.count ?? 0);
};

/** How far a reader that stands at a position is behind; counts no further than `limit`. */
export const lagAfter = async (db: Queryable, after: Position, limit = 100_000): Promise<Lag> => {
  const { rows } = await db.query<{ events: string; seconds: number }>({
    name: 'event-store-lag',
    text: `SELECT count(*) AS events, coalesce(greatest(0, extract(epoch FROM now() - min(occurred_at))), 0)::float8 AS seconds
           FROM (SELECT occurred_at FROM event_store.events WHERE (txid, pos) > ($1::xid8, $2::bigint)
                 ORDER BY events.txid, events.pos LIMIT $3) AS ahead`,
    values: [after.txid, after.pos, limit],
  });
  return { events: Number(rows[0]?.events ?? 0), seconds: rows[0]?.seconds ?? 0 };
};

/** The last position that the feed shows by now. */
export const feedEnd = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>({
    name: 'event-store-feed-end',
    text: `WITH horizon AS MATERIALIZED (${HORIZON})
           SELECT txid::text AS txid, pos::text AS pos FROM event_store.events
           WHERE txid < (SELECT txid FROM horizon) ORDER BY events.txid DESC, events.pos DESC LIMIT 1`,
  });
  return rows[0] ?? BEGINNING;
};

/** The last committed event's position; the feed may show it later, once no older transaction runs any more. */
export const latestPosition = async (db: Queryable): Promise<Position> => {
  const { rows } = await db.query<Position>(
    'SELECT txid::text AS txid, pos::text AS pos FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1',
  );
  return rows[0] ?? BEGINNING;
};
