const TARGET = `id, kind, shown_url AS "shownUrl", failing_since AS "failingSince", last_error AS "lastError",
  last_delivered_at AS "lastDeliveredAt", created_at AS "createdAt"`;

/** Creations in one workspace are serialized, so that the limit is exact. */
export const LOCK_TARGETS = `SELECT pg_advisory_xact_lock(hashtextextended('notification-targets-' || $1::text, 0))`;

export const COUNT_TARGETS = 'SELECT count(*)::int AS count FROM notification_targets WHERE workspace_id = $1';

export const INSERT_TARGET = `
  INSERT INTO notification_targets (id, workspace_id, kind, shown_url, sealed) VALUES ($1, $2, $3, $4, $5)
  RETURNING ${TARGET}`;

export const LIST_TARGETS = `SELECT ${TARGET} FROM notification_targets WHERE workspace_id = $1 ORDER BY created_at, id`;

export const OPEN_TARGET = 'SELECT id, kind, sealed FROM notification_targets WHERE workspace_id = $1 AND id = $2';

export const DELETE_TARGET = 'DELETE FROM notification_targets WHERE workspace_id = $1 AND id = $2';

/** Queues notice `$2` with the bodies for a webhook and for Slack, unless a target has it already or has `$5` that wait. */
export const QUEUE_NOTIFICATION = `
  INSERT INTO notification_deliveries (id, target_id, notice_id, body)
  SELECT gen_random_uuid(), t.id, $2, CASE t.kind WHEN 'slack' THEN $4 ELSE $3 END
  FROM notification_targets t
  WHERE t.workspace_id = $1 AND (
    SELECT count(*) FROM notification_deliveries d WHERE d.target_id = t.id AND d.next_attempt_at IS NOT NULL
  ) < $5
  ON CONFLICT (target_id, notice_id) DO NOTHING`;

/** The notification of each target that has waited longest, at most `$1`. */
export const DUE_DELIVERIES = `
  SELECT * FROM (
    SELECT DISTINCT ON (d.target_id) d.id, d.target_id AS "targetId", t.workspace_id AS "workspaceId", t.kind, t.sealed,
      d.body, d.attempts, d.next_attempt_at
    FROM notification_deliveries d JOIN notification_targets t ON t.id = d.target_id
    WHERE d.next_attempt_at <= now() ORDER BY d.target_id, d.next_attempt_at, d.created_at
  ) due ORDER BY next_attempt_at LIMIT $1`;

/** Ends the delivery `$1`, or repeats it after `$2` milliseconds. */
export const RECORD_ATTEMPT = `
  UPDATE notification_deliveries SET attempts = attempts + 1, next_attempt_at = now() + $2::float8 * interval '1 millisecond'
  WHERE id = $1`;

export const RECORD_OUTCOME = `
  UPDATE notification_targets SET last_error = $2,
    failing_since = CASE WHEN $2::text IS NULL THEN NULL ELSE coalesce(failing_since, now()) END,
    last_delivered_at = CASE WHEN $2::text IS NULL THEN now() ELSE last_delivered_at END
  WHERE id = $1`;

/** Notices are repeated for at most a day; their deliveries are kept for longer. */
export const PURGE_DELIVERIES = `
  DELETE FROM notification_deliveries WHERE next_attempt_at IS NULL AND created_at < $1::timestamptz - interval '7 days'`;
