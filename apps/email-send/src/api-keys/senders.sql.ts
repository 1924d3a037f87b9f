/** The services of API keys, with the revision of the data that sending needs. */
export const FIND_KEYS = `
  SELECT k.key_hash, k.id AS key_id, k.service_id, r.revision
  FROM api_keys k JOIN sender_revisions r ON r.service_id = k.service_id WHERE k.key_hash = ANY ($1::text[])`;

/** The current revision of a service. */
export const FIND_REVISION = 'SELECT revision FROM sender_revisions WHERE service_id = $1';

/**
 * The data about a service that sending needs. While the read model still names a retired, deleted key, the next key signs.
 */
export const LOAD_SENDER = `
  SELECT r.revision, s.workspace_id, s.mode, s.enabled, s.open_tracking, s.click_tracking, s.suppression, s.limits,
    s.daily_quota,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'key', CASE WHEN d.status <> 'pending' AND k.id IS NOT NULL
        THEN jsonb_build_object('id', k.id, 'selector', k.selector, 'sealed', k.sealed_private_key) END,
        'ed25519', CASE WHEN seen.ed25519
        THEN jsonb_build_object('id', e.rsa_key_id, 'selector', e.selector, 'sealed', e.sealed_private_key) END,
        'has_return_path', seen.return_path))
      FROM sending_domains d LEFT JOIN LATERAL (
        SELECT * FROM dkim_keys
        WHERE id IN ((d.dkim->>'key_id')::uuid, (d.next_dkim->>'key_id')::uuid)
        ORDER BY id <> (d.dkim->>'key_id')::uuid LIMIT 1
      ) k ON true LEFT JOIN dkim_ed25519_keys e ON e.rsa_key_id = k.id
      CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(purpose = 'dkim_ed25519' AND name = e.selector || '._domainkey.' || d.domain), false)
            AS ed25519, coalesce(bool_or(purpose = 'return_path'), false) AS return_path
        FROM jsonb_to_recordset(d.records) AS record (purpose text, name text, ok boolean) WHERE ok
      ) seen WHERE d.service_id = s.id
    ), '[]') AS domains,
    ARRAY(SELECT address FROM verified_recipients v WHERE v.service_id = s.id AND v.status = 'verified') AS recipients
  FROM email_services s JOIN sender_revisions r ON r.service_id = s.id WHERE s.id = $1`;

/** Records when keys were last used. */
export const SAVE_USES = `
  INSERT INTO api_key_uses AS u (key_id, last_used_at)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) ORDER BY id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;
