import type { CronJob as CronJobReply } from '@postern/contracts';
import type { CronJob } from './cron-jobs.js';

/** Maps a cron job to the reply of the contracts. */
export const cronJobReply = (job: CronJob): CronJobReply => ({
  id: job.id,
  web_service_id: job.webServiceId,
  name: job.name,
  schedule: job.schedule,
  time_zone: job.timeZone,
  command: job.command,
  overlap: job.overlap,
  time_limit_seconds: job.timeLimitSeconds,
  enabled: job.nextAt !== null,
  next_run_at: job.nextAt?.toISOString() ?? null,
  last_run:
    job.lastRunId && job.lastRunStatus && job.lastRunFor
      ? { id: job.lastRunId, status: job.lastRunStatus, scheduled_for: job.lastRunFor.toISOString() }
      : null,
  created_at: job.createdAt.toISOString(),
});
