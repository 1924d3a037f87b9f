/** Serializes changes of the bounce rules of one service, for their number. */
export const LOCK_BOUNCE_RULES = `SELECT pg_advisory_xact_lock(hashtextextended('bounce-rules-of-' || $1::text, 0))`;

/** The rules of a service, newest first. */
export const LIST_BOUNCE_RULES = `
  SELECT id, phrase, cause, domain, status_code, created_at FROM bounce_rules
  WHERE service_id = $1 ORDER BY created_at DESC, id DESC`;

export const INSERT_BOUNCE_RULE = `
  INSERT INTO bounce_rules (id, service_id, phrase, cause, domain, status_code, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING id, phrase, cause, domain, status_code, created_at`;

export const DELETE_BOUNCE_RULE = 'DELETE FROM bounce_rules WHERE id = $1 AND service_id = $2';
