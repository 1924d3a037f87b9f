import { STORED_COLUMNS } from './stored-event.js';

/** Only the last event of a page is returned when its type was not requested, because it marks the end of the page. */
const REQUESTED = '($3::text[] IS NULL OR type = ANY ($3))';

const NEWEST = '(SELECT txid FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1)';

/**
 * The oldest open transaction that may still add events. A transaction of another database cannot; one whose session is not
 * found counts as one of this database. Sessions are read only when an event is newer than the oldest open transaction.
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
 * Events after a position whose transactions are older than every open one, so that later commits cannot change their
 * order. ORDER BY names the table, because a bare `txid` would be the text column of the result.
 */
export const READ_FEED = (limit: number): string => `
  WITH horizon AS MATERIALIZED (${HORIZON})
  SELECT ${STORED_COLUMNS.replace(' data,', ` CASE WHEN ${REQUESTED} THEN data END AS data,`)}, place, hidden
  FROM (
    -- Reads the end of the index; for EXISTS the planner may scan the whole table.
    SELECT ${NEWEST} >= (SELECT txid FROM horizon) AS hidden
  ) AS behind LEFT JOIN (
    SELECT page.*, row_number() OVER ordered AS place, lead(pos) OVER ordered IS NULL AS is_last
    FROM (
      -- The horizon is applied after the limit: the planner does not know it and would sort the whole table.
      SELECT * FROM (
        SELECT * FROM event_store.events
        WHERE (txid, pos) > ($1::xid8, $2::bigint) AND txid < pg_snapshot_xmax(pg_current_snapshot())
        ORDER BY events.txid, events.pos
        LIMIT ${limit}
      ) AS candidates
      WHERE candidates.txid < (SELECT txid FROM horizon)
    ) AS page
    WINDOW ordered AS (ORDER BY page.txid, page.pos)
  ) AS events ON is_last OR ${REQUESTED}
  ORDER BY events.txid, events.pos`;

export const COUNT_AFTER =
  'SELECT count(*) AS count FROM (SELECT 1 FROM event_store.events WHERE (txid, pos) > ($1::xid8, $2::bigint) LIMIT $3) AS ahead';

export const LAG_AFTER = `SELECT count(*) AS events, coalesce(greatest(0, extract(epoch FROM now() - min(occurred_at))), 0)::float8 AS seconds
  FROM (SELECT occurred_at FROM event_store.events WHERE (txid, pos) > ($1::xid8, $2::bigint)
        ORDER BY events.txid, events.pos LIMIT $3) AS ahead`;

export const FEED_END = `WITH horizon AS MATERIALIZED (${HORIZON})
  SELECT txid::text AS txid, pos::text AS pos FROM event_store.events
  WHERE txid < (SELECT txid FROM horizon) ORDER BY events.txid DESC, events.pos DESC LIMIT 1`;

export const LATEST_POSITION =
  'SELECT txid::text AS txid, pos::text AS pos FROM event_store.events ORDER BY events.txid DESC, events.pos DESC LIMIT 1';

export const examples = { READ_FEED: READ_FEED(500) };
