-- The sending path. Its hot tables are written by plain SQL in batches. Every row belongs to one email of the event log.

-- What GET /emails/{id} answers. A message has no row while its hand-over is under way.
CREATE TABLE emails (
  id uuid PRIMARY KEY,
  service_id uuid NOT NULL,
  record text NOT NULL
);

-- Messages between acceptance and outcome, and the process that has them. Whoever finds a row of a dead process
-- closes its message as interrupted.
CREATE TABLE emails_in_flight (
  email_id uuid PRIMARY KEY,
  instance_id uuid NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX emails_in_flight_instance ON emails_in_flight (instance_id);

-- Bodies stay out of the events. Ids are UUIDv7, so the primary key is also the order in which retention purges.
CREATE TABLE email_bodies (
  email_id uuid PRIMARY KEY,
  content text NOT NULL
);

-- Claims of Idempotency-Key, 24 hours per email service. A claim is answered when its email has a record.
CREATE TABLE idempotency_keys (
  service_id uuid NOT NULL,
  key text NOT NULL,
  body_hash text NOT NULL,
  email_id uuid NOT NULL,
  claimed_at timestamptz NOT NULL,
  PRIMARY KEY (service_id, key)
);
CREATE INDEX idempotency_keys_claimed_at ON idempotency_keys (claimed_at);

-- Messages let in per email service, by UTC minute and UTC day. The limits are held against these.
CREATE TABLE sending_usage (
  service_id uuid NOT NULL,
  period text NOT NULL CHECK (period IN ('minute', 'day')),
  starts_at timestamptz NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (service_id, period, starts_at)
) WITH (fillfactor = 50);

-- Copies that the relay deferred while it took others of the same message. A claim is the fence of one try:
-- a claim that outlives its lease was cut off, and what became of that try is unknown.
CREATE TABLE deferred_copies (
  email_id uuid NOT NULL,
  recipient_index smallint NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  deadline timestamptz NOT NULL,
  claim uuid,
  claimed_until timestamptz,
  PRIMARY KEY (email_id, recipient_index)
);
CREATE INDEX deferred_copies_due ON deferred_copies (due_at);

-- Addresses that bounced hard or complained, as delivery-tracking tells.
CREATE TABLE suppressed_addresses (
  service_id uuid NOT NULL,
  address text NOT NULL,
  told_at timestamptz NOT NULL,
  lifted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (service_id, address)
);
