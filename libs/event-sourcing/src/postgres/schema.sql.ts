export const SELECT_APPLIED_MIGRATION = 'SELECT coalesce(max(number), 0) AS applied FROM event_store.migrations';

export const INSERT_APPLIED_MIGRATION = 'INSERT INTO event_store.migrations (number) VALUES ($1)';

/** The highest transaction of the event store that this PostgreSQL cluster has not reached. */
export const SELECT_FOREIGN_POSITION = `SELECT txid::text AS txid FROM (
    SELECT txid FROM event_store.events UNION ALL SELECT txid FROM event_store.projections
  ) AS positions WHERE txid >= pg_snapshot_xmax(pg_current_snapshot()) ORDER BY positions.txid DESC LIMIT 1`;
