-- One-off commands of web services, with the release that they run with.
CREATE TABLE runs (
  id uuid PRIMARY KEY,
  web_service_id uuid NOT NULL,
  command text NOT NULL,
  release jsonb NOT NULL,
  status text NOT NULL DEFAULT 'queued',
  exit_code integer,
  reason text,
  is_cancelled boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
CREATE INDEX runs_web_service_id_created_at_idx ON runs (web_service_id, created_at);
