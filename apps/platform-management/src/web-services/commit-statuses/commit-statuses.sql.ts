/**
 * The oldest deployment of each web service whose state was not reported yet: of a commit, of the last day, and of a web
 * service that had an access token at its beginning. A preview uses the token and the deploy hook of its web service.
 */
export const FIND_UNREPORTED = `
  SELECT DISTINCT ON (web_service_id) * FROM (
    SELECT d.id AS "deploymentId", d.web_service_id, d.web_service_id AS "webServiceId", w.name,
      coalesce(w.preview_of, w.id) AS "ownerId", w.git_repository_url AS "repositoryUrl", h.git_host AS "gitHost",
      w.pull_request AS "pullRequest", r.comment_id AS "commentId", d.commit, d.created_at, d.number,
      coalesce(s.failures, 0) AS failures, s.state AS reported,
      CASE
        WHEN d.status IN ('building', 'releasing') THEN 'pending'
        WHEN d.status = 'live' THEN 'success'
        WHEN d.status = 'failed' THEN 'failure'
        WHEN d.status IN ('cancelled', 'superseded') AND s.state = 'pending' THEN 'cancelled'
      END AS state
    FROM deployments d
    JOIN web_services w ON w.id = d.web_service_id
    JOIN repository_credentials c ON c.web_service_id = coalesce(w.preview_of, w.id) AND c.kind = 'git_token'
    LEFT JOIN deploy_hooks h ON h.web_service_id = c.web_service_id
    LEFT JOIN pull_requests r ON r.preview_id = w.id
    LEFT JOIN commit_statuses s ON s.deployment_id = d.id
    WHERE d.commit IS NOT NULL AND w.git_repository_url IS NOT NULL AND d.rollback_of IS NULL
      AND d.created_at >= c.created_at AND d.created_at > now() - interval '1 day'
      AND (s.next_attempt_at IS NULL OR s.next_attempt_at <= now())
  ) AS found
  WHERE state IS NOT NULL AND state IS DISTINCT FROM reported
  ORDER BY web_service_id, number LIMIT 50`;

export const SAVE_REPORTED = `
  INSERT INTO commit_statuses (deployment_id, web_service_id, state) VALUES ($1, $2, $3)
  ON CONFLICT (deployment_id) DO UPDATE SET state = $3, failures = 0, next_attempt_at = NULL, error = NULL, changed_at = now()`;

export const SAVE_FAILURE = `
  INSERT INTO commit_statuses (deployment_id, web_service_id, failures, next_attempt_at, error)
  VALUES ($1, $2, 1, now() + $3 * interval '1 millisecond', $4)
  ON CONFLICT (deployment_id) DO UPDATE SET failures = commit_statuses.failures + 1,
    next_attempt_at = excluded.next_attempt_at, error = $4, changed_at = now()`;

export const SAVE_COMMENT = 'UPDATE pull_requests SET comment_id = $2 WHERE preview_id = $1';

/** Longer than statuses are reported, so that none is reported again. */
export const DELETE_OLD_STATUSES = "DELETE FROM commit_statuses WHERE changed_at < now() - interval '7 days'";
