/**
 * The deliveries of the last 24 hours of each webhook in `$1`, its last attempt, and its next retry. Each webhook reads at
 * most its newest 1,000 deliveries.
 */
export const FIND_WEBHOOK_HEALTH = `
  SELECT w.id, f.since AS failing_since, recent.attempted, recent.failed, recent.attempts,
    last.at AS last_at, last.outcome AS last_outcome, last.status AS last_status, last.error AS last_error,
    (SELECT min(d.next_attempt_at) FROM deliveries d
     WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.attempts > 0) AS next_attempt_at
  FROM webhooks w
  LEFT JOIN failing_webhooks f ON f.webhook_id = w.id
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS attempted, (count(*) FILTER (WHERE state <> 'accepted'))::int AS failed,
      coalesce(sum(attempts), 0)::int AS attempts
    FROM (
      SELECT d.state, d.attempts FROM deliveries d
      WHERE d.webhook_id = w.id AND d.created_at > now() - interval '24 hours'
      ORDER BY d.created_at DESC, d.id DESC LIMIT 1000
    ) AS newest
    WHERE attempts > 0
  ) AS recent
  LEFT JOIN LATERAL (
    WITH newest AS (
      SELECT d.id, d.accepted_at, d.accepted_status FROM deliveries d
      WHERE d.webhook_id = w.id ORDER BY d.created_at DESC, d.id DESC LIMIT 50
    )
    SELECT accepted_at AS at, 'accepted' AS outcome, accepted_status AS status, NULL AS error
    FROM newest WHERE accepted_at IS NOT NULL
    UNION ALL
    SELECT a.at, a.outcome, a.status, a.error FROM newest JOIN attempts a ON a.delivery_id = newest.id
    ORDER BY at DESC LIMIT 1
  ) AS last ON true
  WHERE w.id = ANY ($1::uuid[])`;

/** Webhooks of the services `$1` that Postern disabled, or whose attempts all fail; `$2` is the reason of their owner. */
export const FIND_TROUBLED_WEBHOOKS = `
  SELECT w.id, w.service_id, w.url, w.enabled, w.disabled_reason
  FROM webhooks w LEFT JOIN failing_webhooks f ON f.webhook_id = w.id
  WHERE w.service_id = ANY ($1::uuid[])
    AND (NOT w.enabled AND w.disabled_reason <> $2 OR w.enabled AND f.webhook_id IS NOT NULL)
  ORDER BY f.since DESC NULLS LAST, w.id LIMIT 100`;
