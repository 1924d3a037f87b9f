/** Inserts nothing if the password was changed or the user disabled; FOR SHARE waits for a concurrent change. */
export const OPEN_SESSION = `
  INSERT INTO sessions (token_hash, user_id, workspace_id, expires_at, client_address, user_agent)
  SELECT $1, user_id, $3, $4, $6, $7 FROM credentials 
  WHERE user_id = $2 AND password_hash = $5 AND disabled_at IS NULL FOR SHARE`;

export const REMEMBER_DEVICE = `
  INSERT INTO known_devices (user_id, network, user_agent) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, network, user_agent) DO UPDATE SET last_seen_at = now()
  RETURNING xmax = 0 AS "isNew", EXISTS (SELECT FROM known_devices k WHERE k.user_id = $1) AS "hasOthers"`;
