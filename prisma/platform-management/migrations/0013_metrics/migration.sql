-- What a web service used on average over the seconds that begin at its time. Rows exist where something ran.
CREATE TABLE metric_samples (
  web_service_id  uuid NOT NULL,
  at              timestamptz(3) NOT NULL,
  measurements    integer NOT NULL,
  cpu_millicores  double precision NOT NULL,
  cpu_percent     double precision NOT NULL,
  memory_bytes    double precision NOT NULL,
  memory_percent  double precision NOT NULL,
  instances       double precision NOT NULL,
  CONSTRAINT metric_samples_pkey PRIMARY KEY (web_service_id, at)
);
CREATE INDEX metric_samples_at_idx ON metric_samples (at);

CREATE TABLE metric_minutes (
  web_service_id  uuid NOT NULL,
  at              timestamptz(3) NOT NULL,
  measurements    integer NOT NULL,
  cpu_millicores  double precision NOT NULL,
  cpu_percent     double precision NOT NULL,
  memory_bytes    double precision NOT NULL,
  memory_percent  double precision NOT NULL,
  instances       double precision NOT NULL,
  CONSTRAINT metric_minutes_pkey PRIMARY KEY (web_service_id, at)
);
CREATE INDEX metric_minutes_at_idx ON metric_minutes (at);

-- Bytes in and out by month of the calendar in UTC. suspended_at tells that the bound was acted upon.
CREATE TABLE bandwidth_usage (
  web_service_id  uuid NOT NULL,
  month           date NOT NULL,
  bytes           bigint NOT NULL,
  suspended_at    timestamptz(3),
  CONSTRAINT bandwidth_usage_pkey PRIMARY KEY (web_service_id, month)
);
CREATE INDEX bandwidth_usage_month_bytes_idx ON bandwidth_usage (month, bytes);
