/** Serializes the requests of one address and of one network, so that all are counted. */
export const LOCK_RESET_REQUESTS = `SELECT pg_advisory_xact_lock(hashtextextended('password reset ' || $1, 0))`;

export const COUNT_RESET_REQUESTS = `
  SELECT count(*) FILTER (WHERE email = $1)::integer AS "ofAddress",
    count(*) FILTER (WHERE network = $2)::integer AS "ofNetwork"
  FROM password_reset_requests
  WHERE (email = $1 OR network = $2) AND requested_at > now() - make_interval(secs => $3)`;

export const INSERT_RESET_REQUEST = 'INSERT INTO password_reset_requests (id, email, network) VALUES ($1, $2, $3)';

/** Each retry of the mail has a new token, which replaces the previous one. */
export const SET_RESET_TOKEN = `
  UPDATE password_reset_requests r SET token_hash = $2 FROM credentials c
  WHERE r.id = $1 AND r.used_at IS NULL AND r.requested_at > now() - make_interval(mins => $3)
    AND c.email = r.email AND c.disabled_at IS NULL
  RETURNING c.email`;

export const FIND_RESET = `
  SELECT c.user_id AS "userId" FROM password_reset_requests r JOIN credentials c ON c.email = r.email
  WHERE r.token_hash = $1 AND r.used_at IS NULL AND r.requested_at > now() - make_interval(mins => $2)
    AND c.disabled_at IS NULL`;

export const USE_RESET_TOKEN = `
  UPDATE password_reset_requests SET used_at = now()
  WHERE token_hash = $1 AND used_at IS NULL AND requested_at > now() - make_interval(mins => $2)`;

export const SET_PASSWORD = 'UPDATE credentials SET password_hash = $2 WHERE user_id = $1 AND disabled_at IS NULL';

/** Replaces the password whose hash is `$2`. */
export const REPLACE_PASSWORD = 'UPDATE credentials SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2';

/** Invalidates mailed links after a password change. */
export const END_RESETS_OF_USER = `
  UPDATE password_reset_requests SET used_at = now()
  WHERE used_at IS NULL AND email = (SELECT email FROM credentials WHERE user_id = $1)`;
