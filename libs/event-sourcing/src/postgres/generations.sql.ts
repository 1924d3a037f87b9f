export const SELECT_FOREIGN_KEYS =
  "SELECT conname AS key FROM pg_constraint WHERE contype = 'f' AND to_regclass($1) IN (conrelid, confrelid)";

export const SELECT_INDEXES = `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = to_regclass($1) ORDER BY i.indisprimary DESC, c.relname`;
