import { RUN } from './run-columns.js';

export const INSERT_RUN = `
  INSERT INTO runs (id, web_service_id, command, release, terminal) VALUES ($1, $2, $3, $4, $5) RETURNING ${RUN}`;

export const COUNT_SHELLS = `
  SELECT count(*)::integer AS total FROM runs
  WHERE web_service_id = $1 AND finished_at IS NULL AND terminal IS NOT NULL`;

export const FIND_RUN = `SELECT ${RUN} FROM runs WHERE web_service_id = $1 AND id = $2`;

export const LIST_RUNS = `
  SELECT ${RUN} FROM runs WHERE web_service_id = $1 AND cron_job_id IS NULL ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`;

export const COUNT_RUNS =
  'SELECT count(*)::integer AS total FROM runs WHERE web_service_id = $1 AND cron_job_id IS NULL';

export const CANCEL_RUN = `
  UPDATE runs SET is_cancelled = true WHERE web_service_id = $1 AND id = $2 AND finished_at IS NULL RETURNING ${RUN}`;

/** The web service is blocked, suspended or being deleted. */
const IS_FLAGGED = `NOT EXISTS (
    SELECT FROM web_services w
    WHERE w.id = runs.web_service_id AND w.blocked_reason IS NULL AND w.suspended_reason IS NULL
  )`;

export const UNFINISHED_RUNS = `
  SELECT ${RUN}, ${IS_FLAGGED} AS "isFlagged" FROM runs WHERE finished_at IS NULL ORDER BY created_at, id`;

/** Updates no row of a run that may not start, because it was cancelled, its web service is flagged, or it is gone. */
export const BEGIN_RUN = `
  UPDATE runs SET status = 'running', started_at = coalesce(started_at, now())
  WHERE id = $1 AND finished_at IS NULL AND (started_at IS NOT NULL OR NOT is_cancelled AND NOT ${IS_FLAGGED})`;

export const FINISH_RUN = `
  UPDATE runs SET status = $2, exit_code = $3, reason = $4, finished_at = now() WHERE id = $1 AND finished_at IS NULL`;

/** Keeps the newest `$2` ended runs of a web service, without those of cron jobs. */
export const DELETE_OLD_RUNS = `
  DELETE FROM runs WHERE id IN (
    SELECT id FROM runs WHERE web_service_id = $1 AND cron_job_id IS NULL AND finished_at IS NOT NULL
    ORDER BY created_at DESC, id DESC OFFSET $2)`;
