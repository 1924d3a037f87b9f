const CONFIRMED = 'confirmed_at IS NOT NULL';
const STARTED = `confirmed_at IS NULL AND started_at > now() - interval '1 hour'`;

/** Has no effect for a user whose second factor is confirmed. */
export const START_SECOND_FACTOR = `
  INSERT INTO second_factors AS f (user_id, sealed_secret) VALUES ($1, $2)
  ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, started_at = now()
  WHERE f.confirmed_at IS NULL`;

export const FIND_SECOND_FACTOR = `
  SELECT sealed_secret AS "sealedSecret", ${CONFIRMED} AS confirmed, ${STARTED} AS started,
    (SELECT count(*)::integer FROM recovery_codes r WHERE r.user_id = f.user_id) AS "recoveryCodes"
  FROM second_factors f WHERE user_id = $1`;

export const CONFIRM_SECOND_FACTOR = `
  UPDATE second_factors SET confirmed_at = now(), last_step = $2 WHERE user_id = $1 AND ${STARTED}`;

/** Accepts a code once (RFC 6238 §5.2), and no code that is older than the last used code. */
export const USE_STEP = `
  UPDATE second_factors SET last_step = $2 WHERE user_id = $1 AND ${CONFIRMED} AND last_step < $2`;

/** Deletes the recovery codes as well. */
export const DELETE_SECOND_FACTOR = 'DELETE FROM second_factors WHERE user_id = $1';

export const INSERT_RECOVERY_CODES = `
  INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::text[])`;

export const USE_RECOVERY_CODE = 'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2';

export const COUNT_RECOVERY_CODES = 'SELECT count(*)::integer AS left FROM recovery_codes WHERE user_id = $1';

export const DELETE_RECOVERY_CODES = 'DELETE FROM recovery_codes WHERE user_id = $1';
