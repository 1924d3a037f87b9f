/** The columns of a stored run. */
export const RUN = `id, web_service_id AS "webServiceId", command, release, status, exit_code AS "exitCode", reason,
  is_cancelled AS "isCancelled", created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt",
  cron_job_id AS "cronJobId", scheduled_for AS "scheduledFor", time_limit_seconds AS "timeLimitSeconds", terminal`;
