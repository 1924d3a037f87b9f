/** One row per owner, kind and resource, so that concurrent replicas wait for each other. */
export const TAKE_CLAIM = `
  INSERT INTO owner_mails AS m (resource_id, kind, user_id, occurred_at, claimed_at) VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (resource_id, kind, user_id) DO UPDATE SET occurred_at = excluded.occurred_at, claimed_at = now()
  WHERE m.claimed_at IS NULL AND m.occurred_at <= excluded.occurred_at
    OR m.occurred_at < excluded.occurred_at AND m.claimed_at < now() - interval '1 hour'`;

export const RELEASE_CLAIM = `
  UPDATE owner_mails SET claimed_at = NULL
  WHERE resource_id = $1 AND kind = $2 AND user_id = $3 AND occurred_at = $4::timestamptz(3)`;

export const PURGE_CLAIMS = `
  DELETE FROM owner_mails WHERE ctid = ANY (ARRAY(SELECT ctid FROM owner_mails WHERE occurred_at < $1 LIMIT $2))`;
