/** Events of other requests of the web service do not wait. */
export const LOCK_PULL_REQUEST =
  "SELECT pg_advisory_xact_lock(hashtextextended('pull request ' || $1 || ' ' || $2, 0))";

export const FIND_PULL_REQUEST = `
  SELECT is_open AS "isOpen", changed_at AS "changedAt", preview_id AS "previewId"
  FROM pull_requests WHERE web_service_id = $1 AND number = $2`;

export const SAVE_PULL_REQUEST = `
  INSERT INTO pull_requests (web_service_id, number, is_open, changed_at, preview_id) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (web_service_id, number)
  DO UPDATE SET is_open = $3, changed_at = $4, preview_id = $5, received_at = now()`;

/** The commit of the newest deployment of a preview; null until it was fetched. */
export const FIND_NEWEST_COMMIT =
  'SELECT commit FROM deployments WHERE web_service_id = $1 ORDER BY number DESC LIMIT 1';

/**
 * Forgets requests without an event for this time: the event that closed one may be lost, and a late event of a closed one
 * no longer comes.
 */
export const DELETE_OLD_PULL_REQUESTS = "DELETE FROM pull_requests WHERE received_at < now() - interval '30 days'";

/** Previews of closed or forgotten requests, and of web services that are deleted, blocked or suspended. */
export const FIND_OBSOLETE_PREVIEWS = `
  SELECT w.id, w.user_id AS "userId"
  FROM web_services w
  LEFT JOIN web_services original ON original.id = w.preview_of
  LEFT JOIN pull_requests r ON r.preview_id = w.id
  WHERE w.preview_of IS NOT NULL AND (
    original.id IS NULL OR original.blocked_reason IS NOT NULL OR original.suspended_reason IS NOT NULL
    OR r.preview_id IS NULL OR NOT r.is_open)`;
