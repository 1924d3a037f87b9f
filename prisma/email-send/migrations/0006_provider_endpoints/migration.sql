-- URLs that receive the events of mail providers. Tokens are stored as hashes, credentials encrypted.
CREATE TABLE provider_endpoints (
    id uuid NOT NULL PRIMARY KEY,
    kind text NOT NULL,
    token_hash text NOT NULL,
    previous_token_hash text,
    previous_until timestamptz(3),
    sealed_credentials text NOT NULL,
    topic_arn text,
    authentication text NOT NULL,
    events bigint NOT NULL DEFAULT 0,
    ignored bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    last_event_at timestamptz(3),
    created_at timestamptz(3) NOT NULL
);

CREATE UNIQUE INDEX provider_endpoints_token ON provider_endpoints (token_hash);

CREATE INDEX provider_endpoints_previous_token ON provider_endpoints (previous_token_hash);
