-- Rules of the owners of email services for the classification of bounces.
CREATE TABLE bounce_rules (
  id uuid PRIMARY KEY,
  service_id uuid NOT NULL,
  phrase text NOT NULL,
  cause text NOT NULL,
  domain text,
  status_code text,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX bounce_rules_of_service ON bounce_rules (service_id, created_at DESC, id DESC);
