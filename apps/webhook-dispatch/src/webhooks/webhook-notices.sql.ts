/** How long every attempt must have failed; a restart of an endpoint is shorter. */
const FAILING_FOR = "interval '5 minutes'";

/**
 * Webhooks whose owners must be told that they fail, were disabled by Postern, or work again. `$1` is the reason of webhooks
 * that their owner disabled. An episode that ended before its first mail is not mentioned.
 */
export const FIND_DUE_NOTICES = `
  SELECT w.id, w.service_id, w.url, f.since, CASE WHEN w.enabled THEN 'failing' ELSE 'disabled' END AS state
  FROM failing_webhooks f JOIN webhooks w ON w.id = f.webhook_id
  LEFT JOIN webhook_notices n ON n.webhook_id = w.id
  WHERE f.since < now() - ${FAILING_FOR} AND f.latest > f.since
    AND (w.enabled AND (n.webhook_id IS NULL OR n.since < date_trunc('milliseconds', f.since))
      OR NOT w.enabled AND w.disabled_reason <> $1 AND n.state IS DISTINCT FROM 'disabled')
  UNION ALL
  SELECT w.id, w.service_id, w.url, n.since, 'recovered' AS state
  FROM webhook_notices n JOIN webhooks w ON w.id = n.webhook_id
  LEFT JOIN failing_webhooks f ON f.webhook_id = n.webhook_id
  WHERE f.webhook_id IS NULL AND w.enabled
  LIMIT 500`;

export const SAVE_NOTICE = `
  INSERT INTO webhook_notices (webhook_id, state, since) VALUES ($1, $2, $3)
  ON CONFLICT (webhook_id) DO UPDATE SET state = excluded.state, since = excluded.since`;

export const DELETE_NOTICE = 'DELETE FROM webhook_notices WHERE webhook_id = $1';

/** Of deleted webhooks, and of those that their owner disabled. */
export const DELETE_NEEDLESS_NOTICES = `
  DELETE FROM webhook_notices n WHERE NOT EXISTS (
    SELECT 1 FROM webhooks w WHERE w.id = n.webhook_id AND (w.enabled OR w.disabled_reason <> $1))`;
