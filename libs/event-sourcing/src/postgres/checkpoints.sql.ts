const COLUMNS = 'generation, version, txid::text AS txid, pos::text AS pos';

export const SELECT_LIVE_CHECKPOINT = `SELECT ${COLUMNS} FROM event_store.projections WHERE name = $1 AND live`;

export const LOCK_LIVE_CHECKPOINT = `${SELECT_LIVE_CHECKPOINT} FOR UPDATE`;

export const LOCK_FREE_LIVE_CHECKPOINT = `${SELECT_LIVE_CHECKPOINT} FOR UPDATE SKIP LOCKED`;

export const SELECT_NEXT_CHECKPOINT = `SELECT ${COLUMNS} FROM event_store.projections WHERE name = $1 AND generation = $2 AND NOT live FOR UPDATE`;

export const REGISTER_PROJECTION = `INSERT INTO event_store.projections (name, generation, live, version, txid, pos)
  VALUES ($1, 1, true, $2, '0', 0) ON CONFLICT DO NOTHING`;

export const SAVE_CHECKPOINT =
  'UPDATE event_store.projections SET txid = $3::xid8, pos = $4::bigint WHERE name = $1 AND generation = $2';

export const PASS_OVER = `UPDATE event_store.projections SET txid = $5::xid8, pos = $6::bigint
  WHERE name = $1 AND live AND version <= $2 AND (txid, pos) >= ($3::xid8, $4::bigint)
    AND (txid, pos) < ($5::xid8, $6::bigint)`;

export const DELETE_NEXT_CHECKPOINT = 'DELETE FROM event_store.projections WHERE name = $1 AND NOT live';

export const ADD_NEXT_CHECKPOINT = `INSERT INTO event_store.projections (name, generation, live, version, txid, pos) VALUES ($1, $2, false, $3, '0', 0)`;

export const DELETE_LIVE_CHECKPOINT = 'DELETE FROM event_store.projections WHERE name = $1 AND live';

export const MAKE_CHECKPOINT_LIVE =
  'UPDATE event_store.projections SET live = true WHERE name = $1 AND generation = $2';
