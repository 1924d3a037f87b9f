/** Serializes the creation of endpoints, for their number. */
export const LOCK_ENDPOINTS = `SELECT pg_advisory_xact_lock(hashtextextended('provider-endpoints', 0))`;

export const COUNT_ENDPOINTS = 'SELECT count(*)::int AS count FROM provider_endpoints';

export const INSERT_ENDPOINT = `
  INSERT INTO provider_endpoints (id, kind, token_hash, sealed_credentials, topic_arn, authentication, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, now())`;

const FIELDS = 'id, kind, authentication, topic_arn, events, ignored, refused, last_event_at, created_at';

export const LIST_ENDPOINTS = `SELECT ${FIELDS} FROM provider_endpoints ORDER BY created_at, id`;

export const FIND_ENDPOINT = `SELECT ${FIELDS} FROM provider_endpoints WHERE id = $1`;

/** The endpoint of a token, or of the token that it replaced a short time ago. */
export const FIND_BY_TOKEN = `
  SELECT id, kind, sealed_credentials, topic_arn FROM provider_endpoints
  WHERE kind = $1 AND (token_hash = $2 OR (previous_token_hash = $2 AND previous_until > now()))`;

/** `$3` is the time in milliseconds for which the previous token stays valid. */
export const ROTATE_ENDPOINT = `
  UPDATE provider_endpoints SET previous_token_hash = token_hash, previous_until = now() + $3 * interval '1 millisecond',
    token_hash = $2
  WHERE id = $1 RETURNING previous_until`;

export const DELETE_ENDPOINT = 'DELETE FROM provider_endpoints WHERE id = $1';

export const COUNT_EVENTS = `
  UPDATE provider_endpoints SET events = events + $2, ignored = ignored + $3, last_event_at = now() WHERE id = $1`;

export const COUNT_REFUSED = 'UPDATE provider_endpoints SET refused = refused + 1 WHERE id = $1';

/** Returns no row if another call has already set a topic. */
export const SET_TOPIC = `
  UPDATE provider_endpoints SET topic_arn = $2 WHERE id = $1 AND (topic_arn IS NULL OR topic_arn = $2) RETURNING id`;
