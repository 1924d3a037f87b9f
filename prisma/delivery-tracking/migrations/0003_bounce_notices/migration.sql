-- What bounces were classed from: status, reply and words. Kept for a while, to be classed again when the rules improve.
CREATE TABLE bounce_notices (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email_id        uuid NOT NULL,
  recipient_index smallint NOT NULL,
  received_at     timestamptz NOT NULL,
  rules_version   integer NOT NULL,
  evidence        jsonb NOT NULL
);
CREATE INDEX bounce_notices_age ON bounce_notices (received_at);
