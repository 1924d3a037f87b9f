export const SELECT_CHECKPOINT = `SELECT txid::text AS txid, pos::text AS pos, broker_created, broker_sequence, blocked_condition, blocked_reason,
    blocked_since, repeat_txid::text AS repeat_txid, repeat_pos::text AS repeat_pos, repeat_id, broker_first
  FROM event_store.outbox WHERE name = $1`;

export const SAVE_BROKER_FIRST = 'UPDATE event_store.outbox SET broker_first = $2 WHERE name = $1';

export const IS_REPEATED_AFTER = `SELECT EXISTS (SELECT FROM event_store.outbox_trail
  WHERE name = $1 AND broker_sequence >= $2 AND (txid, pos) <= ($3::xid8, $4::bigint)) AS found`;

export const SAVE_BLOCKAGE = `INSERT INTO event_store.outbox AS known (name, txid, pos, broker_sequence, blocked_condition, blocked_reason, blocked_since)
  VALUES ($1, '0', 0, 0, $2, $3, $4)
  ON CONFLICT (name) DO UPDATE SET blocked_condition = excluded.blocked_condition,
    blocked_reason = excluded.blocked_reason, blocked_since = excluded.blocked_since`;

export const REPORT_GAP = `INSERT INTO event_store.outbox_gaps AS known (name, consumer, broker_created, first_sequence, last_sequence)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (name, consumer, broker_created, first_sequence)
    DO UPDATE SET last_sequence = greatest(known.last_sequence, excluded.last_sequence)`;

export const SELECT_GAPS = `SELECT consumer, broker_created AS created, first_sequence AS first, last_sequence AS last
  FROM event_store.outbox_gaps WHERE name = $1`;

export const DELETE_GAPS = `DELETE FROM event_store.outbox_gaps USING unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
    AS done (consumer, created, first, last)
  WHERE name = $1 AND outbox_gaps.consumer = done.consumer AND broker_created = created
    AND first_sequence = first AND last_sequence = last`;

export const SAVE_REPETITION =
  'UPDATE event_store.outbox SET repeat_txid = $2::xid8, repeat_pos = $3::bigint, repeat_id = $4 WHERE name = $1';

export const DELETE_TRAIL_AFTER = 'DELETE FROM event_store.outbox_trail WHERE name = $1 AND broker_sequence > $2';

export const SAVE_CHECKPOINT = `
  WITH trail AS (
    INSERT INTO event_store.outbox_trail (name, broker_sequence, txid, pos)
    SELECT $1, $5::bigint, $2::xid8, $3::bigint WHERE $6::boolean
    ON CONFLICT (name, broker_sequence) DO UPDATE SET txid = excluded.txid, pos = excluded.pos, saved_at = now()
  )
  INSERT INTO event_store.outbox (name, txid, pos, broker_created, broker_sequence)
  VALUES ($1, $2::xid8, $3::bigint, $4, $5::bigint)
  ON CONFLICT (name) DO UPDATE SET txid = excluded.txid, pos = excluded.pos,
    broker_created = excluded.broker_created, broker_sequence = excluded.broker_sequence`;

export const SELECT_TRAIL_AT = `SELECT t.txid::text AS txid, t.pos::text AS pos FROM event_store.outbox_trail t
  WHERE name = $1 AND broker_sequence <= $2 ORDER BY broker_sequence DESC LIMIT 1`;

export const SHORTEN_TRAIL = `DELETE FROM event_store.outbox_trail WHERE (name, broker_sequence) IN (
  SELECT name, broker_sequence FROM event_store.outbox_trail
  WHERE name = $1 AND saved_at < now() - make_interval(days => $2) LIMIT $3)`;
