export const INSERT_CREDENTIALS = `
  INSERT INTO credentials (user_id, email, password_hash, operator) VALUES ($1, $2, $3, $4)
  ON CONFLICT (email) DO NOTHING`;

/** Updates no row if the user already has the requested state. */
export const SET_DISABLED = `
  UPDATE credentials SET disabled_at = CASE WHEN $2 THEN now() END
  WHERE user_id = $1 AND (disabled_at IS NULL) = $2`;

/** Runs inside the transaction that holds the lock of operators. */
export const FIND_ENABLED_OPERATOR = 'SELECT 1 FROM credentials WHERE operator AND disabled_at IS NULL LIMIT 1';

/** Runs inside the transaction that holds the lock of the first operator. */
export const FIND_OPERATOR = 'SELECT 1 FROM credentials WHERE operator LIMIT 1';
