-- Requests to reset a password. Rows of addresses without a user are the same, and are deleted after an hour.
CREATE TABLE password_reset_requests (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  network text NOT NULL,
  requested_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  token_hash text,
  used_at timestamptz(3)
);
CREATE UNIQUE INDEX password_reset_requests_token_hash_key ON password_reset_requests (token_hash);
CREATE INDEX password_reset_requests_email_requested_at_idx ON password_reset_requests (email, requested_at);
CREATE INDEX password_reset_requests_network_requested_at_idx ON password_reset_requests (network, requested_at);

-- Invitations of addresses without a user; what was accepted or revoked still counts against the limits for a day.
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  invited_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  token_hash text
);
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);
CREATE INDEX invitations_workspace_id_created_at_idx ON invitations (workspace_id, created_at);
CREATE INDEX invitations_email_created_at_idx ON invitations (email, created_at);

-- From which networks and with which programs users have signed in.
CREATE TABLE known_devices (
  user_id uuid NOT NULL,
  network text NOT NULL,
  user_agent text NOT NULL,
  last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (user_id, network, user_agent)
);
CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at);
