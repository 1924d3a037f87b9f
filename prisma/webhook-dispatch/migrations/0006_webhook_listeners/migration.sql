-- Commands on the machines of developers that receive the events of an email service while they run.
CREATE TABLE webhook_listeners (
  id           uuid PRIMARY KEY,
  service_id   uuid NOT NULL,
  expires_at   timestamptz NOT NULL,
  -- Numbers are assigned under the lock of the row, so that they become visible in their order.
  last_number  bigint NOT NULL DEFAULT 0,
  read_number  bigint NOT NULL DEFAULT 0
);
CREATE INDEX webhook_listeners_service ON webhook_listeners (service_id);

CREATE TABLE webhook_listener_events (
  listener_id  uuid NOT NULL,
  number       bigint NOT NULL,
  payload      text NOT NULL,
  PRIMARY KEY (listener_id, number)
);
