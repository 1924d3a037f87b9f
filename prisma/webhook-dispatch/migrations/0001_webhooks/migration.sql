CREATE TABLE webhooks (
  id               uuid PRIMARY KEY,
  service_id       uuid NOT NULL,
  url              text NOT NULL,
  events           text[] NOT NULL,
  enabled          boolean NOT NULL,
  disabled_reason  text,
  created_at       timestamptz(3) NOT NULL
);
CREATE INDEX webhooks_service_id_idx ON webhooks (service_id);

-- The queue lies in the database of its attempts, so that no restart of anything else can end a delivery.
CREATE TABLE webhook_secrets (
  webhook_id  uuid PRIMARY KEY,
  current     text NOT NULL,
  next        text
);

CREATE TABLE deliveries (
  id               uuid PRIMARY KEY,
  webhook_id       uuid NOT NULL,
  event_id         uuid,
  payload          text NOT NULL,
  state            text NOT NULL CHECK (state IN ('pending', 'accepted', 'refused', 'dropped', 'held')),
  reason           text,
  replay_of        uuid,
  attempts         smallint NOT NULL DEFAULT 0,
  -- While an attempt is under way this is the end of its lease: a claim that is never reported becomes due again.
  next_attempt_at  timestamptz,
  fence            bigint NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL DEFAULT now(),
  finished_at      timestamptz
)
-- Every row is updated twice or more within seconds, so room is left beside it and dead rows are swept early.
WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);

-- One delivery for an event and an endpoint, however often the event arrives.
CREATE UNIQUE INDEX deliveries_once ON deliveries (event_id, webhook_id) WHERE replay_of IS NULL;
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_newest ON deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX deliveries_replays ON deliveries (replay_of) WHERE replay_of IS NOT NULL;
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE SEQUENCE delivery_fence;

CREATE TABLE attempts (
  delivery_id    uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number         smallint NOT NULL,
  at             timestamptz NOT NULL,
  outcome        text NOT NULL CHECK (outcome IN ('accepted', 'refused', 'retry')),
  status         smallint,
  latency_ms     integer NOT NULL,
  error          text,
  response_head  text,
  PRIMARY KEY (delivery_id, number)
);

-- Since when an endpoint has had nothing but failures. Its row goes with the first success.
CREATE TABLE failing_webhooks (
  webhook_id  uuid PRIMARY KEY,
  since       timestamptz NOT NULL,
  latest      timestamptz NOT NULL
);
