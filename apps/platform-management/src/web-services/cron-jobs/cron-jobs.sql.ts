import { RUN } from '../runs/run-columns.js';

const CRON_JOB = `c.id, c.web_service_id AS "webServiceId", c.name, c.schedule, c.time_zone AS "timeZone", c.command, c.overlap,
  c.time_limit_seconds AS "timeLimitSeconds", c.next_at AS "nextAt", c.created_at AS "createdAt",
  last.id AS "lastRunId", last.status AS "lastRunStatus", last.scheduled_for AS "lastRunFor"`;

const FROM = `FROM cron_jobs c LEFT JOIN LATERAL (
    SELECT r.id, r.status, r.scheduled_for FROM runs r WHERE r.cron_job_id = c.id ORDER BY r.scheduled_for DESC LIMIT 1
  ) AS last ON true`;

export const COUNT_CRON_JOBS = 'SELECT count(*)::integer AS count FROM cron_jobs WHERE web_service_id = $1';

export const INSERT_CRON_JOB = `
  INSERT INTO cron_jobs (id, web_service_id, name, schedule, time_zone, command, overlap, time_limit_seconds, next_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export const LIST_CRON_JOBS = `SELECT ${CRON_JOB} ${FROM} WHERE c.web_service_id = $1 ORDER BY c.name`;

export const FIND_CRON_JOB = `SELECT ${CRON_JOB} ${FROM} WHERE c.web_service_id = $1 AND c.id = $2`;

export const CHANGE_CRON_JOB = `
  UPDATE cron_jobs
  SET name = $3, schedule = $4, time_zone = $5, command = $6, overlap = $7, time_limit_seconds = $8, next_at = $9
  WHERE web_service_id = $1 AND id = $2`;

export const DELETE_CRON_JOB = 'DELETE FROM cron_jobs WHERE web_service_id = $1 AND id = $2';

/** Cancels unfinished runs and detaches them from the job, whose other runs are deleted. */
export const CANCEL_RUNS_OF_JOB =
  'UPDATE runs SET is_cancelled = true, cron_job_id = NULL WHERE cron_job_id = $1 AND finished_at IS NULL';

export const DELETE_RUNS_OF_JOB = 'DELETE FROM runs WHERE cron_job_id = $1';

export const LIST_RUNS_OF_JOB = `
  SELECT ${RUN} FROM runs WHERE cron_job_id = $1 ORDER BY scheduled_for DESC, id DESC LIMIT $2 OFFSET $3`;

export const COUNT_RUNS_OF_JOB = 'SELECT count(*)::integer AS total FROM runs WHERE cron_job_id = $1';

export const DUE_CRON_JOBS = `SELECT ${CRON_JOB} ${FROM} WHERE c.next_at <= $1 ORDER BY c.next_at LIMIT 500`;

/** Compare and swap: if two replicas try it, one updates no row. */
export const ADVANCE_NEXT_TIME = 'UPDATE cron_jobs SET next_at = $3 WHERE id = $1 AND next_at = $2';

export const COUNT_UNFINISHED =
  'SELECT count(*)::integer AS count FROM runs WHERE cron_job_id = $1 AND finished_at IS NULL';

export const REPLACE_UNFINISHED = 'UPDATE runs SET is_cancelled = true WHERE cron_job_id = $1 AND finished_at IS NULL';

/** Inserts at most one run for each scheduled time. */
export const INSERT_RUN_OF_JOB = `
  INSERT INTO runs (id, web_service_id, command, release, cron_job_id, scheduled_for, time_limit_seconds)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (cron_job_id, scheduled_for) DO NOTHING`;

/** Records a scheduled time that was skipped or missed. */
export const INSERT_SKIPPED_RUN = `
  INSERT INTO runs (id, web_service_id, command, release, cron_job_id, scheduled_for, status, reason, finished_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'cancelled', $7, now()) ON CONFLICT (cron_job_id, scheduled_for) DO NOTHING`;

/** Keeps the newest `$2` finished runs of a job. */
export const DELETE_OLD_RUNS_OF_JOB = `
  DELETE FROM runs WHERE id IN (
    SELECT id FROM runs WHERE cron_job_id = $1 AND finished_at IS NOT NULL
    ORDER BY scheduled_for DESC, id DESC OFFSET $2)`;
