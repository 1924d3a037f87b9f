-- The source of an attempt: 'unknown', the id of a device that has logged in to the account before, or 'session'.
ALTER TABLE login_failures ADD COLUMN source text NOT NULL DEFAULT 'unknown';

-- Sessions of the release before have no client; what counts as their last use is this migration.
ALTER TABLE sessions
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN last_used_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN client_address text,
  ADD COLUMN user_agent text;
CREATE UNIQUE INDEX sessions_id_key ON sessions (id);
