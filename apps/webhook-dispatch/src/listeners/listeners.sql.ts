/** `$1` id, `$2` service, `$3` seconds until it expires. */
export const INSERT_LISTENER = `
  INSERT INTO webhook_listeners (id, service_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))
  RETURNING expires_at`;

/** Serializes creations for service `$1`, so that the count is exact. */
export const LOCK_SERVICE = `SELECT pg_advisory_xact_lock(hashtextextended('webhook-listeners-of-' || $1::text, 0))`;

/** `$1` service. */
export const COUNT_LISTENERS =
  'SELECT count(*)::int AS count FROM webhook_listeners WHERE service_id = $1::uuid AND expires_at > now()';

/** `$1` service. */
export const FIND_LISTENERS = `
  SELECT id, expires_at FROM webhook_listeners WHERE service_id = $1 AND expires_at > now() ORDER BY id`;

/** Postpones the expiry of listener `$1` of service `$2` by `$3` seconds from now, and records that `$4` was read. */
export const TOUCH_LISTENER = `
  UPDATE webhook_listeners
  SET expires_at = now() + make_interval(secs => $3), read_number = greatest(read_number, least($4::bigint, last_number))
  WHERE id = $1 AND service_id = $2 AND expires_at > now()
  RETURNING read_number`;

/** Events of listener `$1` up to `$2`. */
export const DELETE_READ = 'DELETE FROM webhook_listener_events WHERE listener_id = $1 AND number <= $2';

/** At most `$3` events of listener `$1` after `$2`. */
export const FIND_EVENTS = `
  SELECT number, payload FROM webhook_listener_events
  WHERE listener_id = $1 AND number > $2 ORDER BY number LIMIT $3`;

/**
 * Deletes listener `$1` of service `$2`; if an event is being written, the purge of expired listeners deletes the events.
 */
export const DELETE_LISTENER = `
  WITH removed AS (DELETE FROM webhook_listeners WHERE id = $1 AND service_id = $2 AND expires_at > now() RETURNING id),
  events AS (DELETE FROM webhook_listener_events WHERE listener_id IN (SELECT id FROM removed))
  SELECT id FROM removed`;

export const DELETE_EXPIRED = 'DELETE FROM webhook_listeners WHERE expires_at <= now()';

/** Deletes up to `$1` events whose listener no longer exists. */
export const PURGE_EVENTS = `
  DELETE FROM webhook_listener_events WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM webhook_listener_events e
    WHERE NOT EXISTS (SELECT 1 FROM webhook_listeners l WHERE l.id = e.listener_id) LIMIT $1
  ))`;
