export const SELECT_FOREIGN_KEYS =
  "SELECT conname AS key FROM pg_constraint WHERE contype = 'f' AND to_regclass($1) IN (conrelid, confrelid)";

export const SELECT_INDEXES = `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = to_regclass($1) ORDER BY i.indisprimary DESC, c.relname`;

const GENERATIONS = "hashtextextended('generations of ' || $1::text, 0)";

/** Until the end of the transaction, no rebuild of the projection `$1` begins or ends. */
export const SHARE_GENERATIONS = `SELECT pg_advisory_xact_lock_shared(${GENERATIONS})`;

/** Waits for the transactions that write generations of the projection `$1`, and holds back others. */
export const CLAIM_GENERATIONS = `SELECT pg_advisory_xact_lock(${GENERATIONS})`;

export const SELECT_NEXT_GENERATION = 'SELECT 1 FROM event_store.projections WHERE name = $1 AND NOT live';
