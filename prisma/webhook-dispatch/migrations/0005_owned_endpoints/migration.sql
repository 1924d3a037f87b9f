-- The webhooks of a workspace belong to a partition, and a partition to one dispatcher at a time.
CREATE TABLE dispatch_partitions (
    partition smallint NOT NULL PRIMARY KEY,
    dispatcher text
);
INSERT INTO dispatch_partitions (partition) SELECT generate_series(0, 63);

-- The attempt that an endpoint accepted; attempts that failed have rows of their own.
ALTER TABLE deliveries
  ADD COLUMN accepted_at timestamptz(6),
  ADD COLUMN accepted_status smallint,
  ADD COLUMN accepted_latency_ms integer,
  ADD COLUMN accepted_response text;

-- What claimed single deliveries.
ALTER TABLE deliveries DROP COLUMN claimed_until, DROP COLUMN fence;
DROP SEQUENCE delivery_fence;

-- The id of a delivery follows from its event and webhook, so the primary key already admits an event once.
DROP INDEX deliveries_once;

ALTER TABLE webhooks ADD COLUMN rate_limit integer, ADD COLUMN ordered boolean NOT NULL DEFAULT false;
-- Deliveries that failed and are tried again: they hold back the others of a webhook with an order.
CREATE INDEX deliveries_retried ON deliveries (webhook_id, created_at, id)
  WHERE state = 'pending' AND attempts > 0 AND event_id IS NOT NULL;
