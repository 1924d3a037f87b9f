const DRAIN = `d.id, d.web_service_id AS "webServiceId", d.kind, d.shown_url AS "shownUrl", d.header_names AS "headerNames",
  d.lines_waiting::float8 AS "linesWaiting", d.lines_lost::float8 AS "linesLost", d.failing_since AS "failingSince",
  d.next_attempt_at AS "nextAttemptAt", d.last_error AS "lastError", d.last_delivered_at AS "lastDeliveredAt",
  d.disabled_at AS "disabledAt", d.created_at AS "createdAt"`;

/** Excludes drains of deleted web services, whose rows may still exist. */
const FROM = 'FROM log_drains d JOIN web_services w ON w.id = d.web_service_id';

export const COUNT_LOG_DRAINS = 'SELECT count(*)::int AS count FROM log_drains WHERE web_service_id = $1';

export const SEAL_TARGET = 'INSERT INTO sealed_values (id, sealed, web_service_id) VALUES ($1, $2, $3)';

export const INSERT_LOG_DRAIN = `
  INSERT INTO log_drains (id, web_service_id, kind, shown_url, header_names, cursor, lines_before, lines_waiting)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

export const LIST_LOG_DRAINS = `SELECT ${DRAIN} ${FROM} WHERE d.web_service_id = $1 ORDER BY d.created_at, d.id`;

export const FIND_LOG_DRAIN = `SELECT ${DRAIN} ${FROM} WHERE d.web_service_id = $1 AND d.id = $2`;

/** A drain that is enabled again has a new episode, and is tried at once. */
export const ENABLE_LOG_DRAIN = `
  UPDATE log_drains SET disabled_at = NULL, failures = 0, failing_since = NULL, mailed_state = NULL, next_attempt_at = now()
  WHERE id = $1 AND disabled_at IS NOT NULL`;

export const DISABLE_LOG_DRAIN = `
  UPDATE log_drains SET disabled_at = now(), mailed_state = 'disabled' WHERE id = $1 AND disabled_at IS NULL`;

export const DELETE_LOG_DRAIN = `
  WITH gone AS (DELETE FROM log_drains WHERE web_service_id = $1 AND id = $2 RETURNING id),
    sealed AS (DELETE FROM sealed_values WHERE id IN (SELECT id FROM gone))
  SELECT id FROM gone`;

/** The drains to read the log for now, those that have waited longest first. */
export const DUE_LOG_DRAINS = `
  SELECT d.id, p.workspace_id AS "workspaceId"
  ${FROM} JOIN projects p ON p.id = w.project_id
  WHERE d.disabled_at IS NULL AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at, d.id`;

export const OPEN_LOG_DRAIN = `
  SELECT d.id, d.web_service_id AS "webServiceId", w.name, d.kind, d.cursor, d.lines_before::float8 AS "linesBefore",
    d.lines_waiting::float8 AS "linesWaiting", d.failures, s.sealed
  ${FROM} JOIN sealed_values s ON s.id = d.id WHERE d.id = $1 AND d.disabled_at IS NULL`;

export const OPEN_TARGET = `
  SELECT w.name, d.kind, s.sealed ${FROM} JOIN sealed_values s ON s.id = d.id WHERE d.web_service_id = $1 AND d.id = $2`;

/** Deployments for the lines of a batch, newest first. */
export const DEPLOYMENT_TIMES = `
  SELECT id, status IN ('live', 'rolled_back') AS "wasLive", started_at AS "startedAt", finished_at AS "finishedAt"
  FROM deployments WHERE web_service_id = $1 ORDER BY number DESC LIMIT 50`;

/** Moves the cursor from `$2`. A drain that was moved, disabled or deleted meanwhile matches no row. */
export const RECORD_DELIVERY = `
  UPDATE log_drains SET cursor = $3, lines_before = lines_before + $4, lines_waiting = $5, failures = 0, failing_since = NULL,
    last_error = NULL, last_delivered_at = CASE WHEN $4 > 0 THEN now() ELSE last_delivered_at END, mailed_state = NULL
  WHERE id = $1 AND cursor = $2 AND disabled_at IS NULL`;

export const RECORD_FAILURE = `
  UPDATE log_drains SET failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = $3,
    next_attempt_at = now() + $4 * interval '1 millisecond', lines_waiting = $5
  WHERE id = $1 AND cursor = $2 AND disabled_at IS NULL`;

export const RECORD_LOSS = `
  UPDATE log_drains SET lines_lost = lines_lost + $3, lines_before = $4 WHERE id = $1 AND cursor = $2`;

export const DISABLE_FAILING = `
  UPDATE log_drains SET disabled_at = now()
  WHERE disabled_at IS NULL AND failing_since < now() - $1 * interval '1 day'`;

/** Drains whose owners must be mailed: failing for an hour, or disabled because of that. */
export const DUE_NOTICES = `
  SELECT d.id, d.web_service_id AS "webServiceId", w.name, p.workspace_id AS "workspaceId", d.shown_url AS "shownUrl",
    CASE WHEN d.disabled_at IS NULL THEN 'failing' ELSE 'disabled' END AS state, d.failing_since AS "failingSince",
    d.last_error AS "lastError"
  ${FROM} JOIN projects p ON p.id = w.project_id
  WHERE d.failing_since < now() - interval '1 hour'
    AND d.mailed_state IS DISTINCT FROM CASE WHEN d.disabled_at IS NULL THEN 'failing' ELSE 'disabled' END
  ORDER BY d.failing_since LIMIT 100`;

export const RECORD_NOTICE = 'UPDATE log_drains SET mailed_state = $2 WHERE id = $1 AND failing_since = $3';
