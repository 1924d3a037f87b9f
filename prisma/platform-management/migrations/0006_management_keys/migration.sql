-- Keys of the dashboard API for programs. Only the SHA-256 of a key is stored.
CREATE TABLE management_keys (
    id uuid NOT NULL PRIMARY KEY,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    service_id uuid,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_used_at timestamptz(3)
);

CREATE UNIQUE INDEX management_keys_key_hash_key ON management_keys (key_hash);

CREATE INDEX management_keys_workspace ON management_keys (workspace_id, created_at);
