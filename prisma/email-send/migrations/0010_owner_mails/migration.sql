-- The last mail to each owner about each web service and database; `claimed_at` is null if it could not be sent.
CREATE TABLE owner_mails (
  resource_id uuid NOT NULL,
  kind text NOT NULL,
  user_id uuid NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  claimed_at timestamptz(3),
  PRIMARY KEY (resource_id, kind, user_id)
);
CREATE INDEX owner_mails_occurred_at ON owner_mails (occurred_at);
