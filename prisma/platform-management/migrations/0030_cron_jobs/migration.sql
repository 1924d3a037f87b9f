-- Commands that run at the times of a schedule.
CREATE TABLE cron_jobs (
  id uuid PRIMARY KEY,
  web_service_id uuid NOT NULL,
  name text NOT NULL,
  schedule text NOT NULL,
  command text NOT NULL,
  overlap text NOT NULL,
  time_limit_seconds integer NOT NULL,
  -- The next time of the schedule; null while the job is disabled.
  next_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cron_jobs_web_service_id_name_key ON cron_jobs (web_service_id, name);
CREATE INDEX cron_jobs_next_at_idx ON cron_jobs (next_at);

-- Of runs of cron jobs.
ALTER TABLE runs ADD COLUMN cron_job_id uuid;
ALTER TABLE runs ADD COLUMN scheduled_for timestamptz(3);
ALTER TABLE runs ADD COLUMN time_limit_seconds integer;
-- A time of a schedule has one run.
CREATE UNIQUE INDEX runs_cron_job_id_scheduled_for_key ON runs (cron_job_id, scheduled_for);
