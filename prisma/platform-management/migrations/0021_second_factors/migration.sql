-- Secrets of authenticators, sealed. `last_step` is the last 30 seconds whose code was used.
CREATE TABLE second_factors (
  user_id uuid PRIMARY KEY,
  sealed_secret text NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  confirmed_at timestamptz(3),
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL,
  code_hash text NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);
