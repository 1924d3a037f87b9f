CREATE TABLE attempts (
    delivery_id uuid NOT NULL,
    number smallint NOT NULL,
    at timestamptz NOT NULL,
    outcome text NOT NULL,
    status smallint,
    latency_ms integer NOT NULL,
    error text,
    response_head text,
    CONSTRAINT attempts_outcome_check CHECK (outcome IN ('accepted', 'refused', 'retry')),
    CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
);

CREATE TABLE deliveries (
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid,
    payload text NOT NULL,
    state text NOT NULL,
    reason text,
    replay_of uuid,
    attempts smallint DEFAULT 0 NOT NULL,
    next_attempt_at timestamptz,
    created_at timestamptz DEFAULT now() NOT NULL,
    finished_at timestamptz,
    traceparent text,
    email_id uuid,
    accepted_at timestamptz(6),
    accepted_status smallint,
    accepted_latency_ms integer,
    accepted_response text,
    CONSTRAINT deliveries_state_check CHECK (state IN ('pending', 'accepted', 'refused', 'dropped', 'held')),
    CONSTRAINT deliveries_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='1', fillfactor='50');
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at) WHERE (state = 'pending');
CREATE INDEX deliveries_email ON deliveries (email_id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_missed ON deliveries (webhook_id, state, created_at DESC, id DESC) WHERE (state IN ('refused', 'dropped', 'held'));
CREATE INDEX deliveries_newest ON deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX deliveries_replays ON deliveries (replay_of) WHERE (replay_of IS NOT NULL);
CREATE INDEX deliveries_retried ON deliveries (webhook_id, created_at, id) WHERE ((state = 'pending') AND (attempts > 0) AND (event_id IS NOT NULL));

CREATE TABLE dispatch_partitions (
    partition smallint NOT NULL,
    dispatcher text,
    CONSTRAINT dispatch_partitions_pkey PRIMARY KEY (partition)
);

CREATE TABLE failing_webhooks (
    webhook_id uuid NOT NULL,
    since timestamptz NOT NULL,
    latest timestamptz NOT NULL,
    CONSTRAINT failing_webhooks_pkey PRIMARY KEY (webhook_id)
);

CREATE TABLE webhook_listener_events (
    listener_id uuid NOT NULL,
    number bigint NOT NULL,
    payload text NOT NULL,
    CONSTRAINT webhook_listener_events_pkey PRIMARY KEY (listener_id, number)
);

CREATE TABLE webhook_listeners (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    last_number bigint DEFAULT 0 NOT NULL,
    read_number bigint DEFAULT 0 NOT NULL,
    CONSTRAINT webhook_listeners_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_listeners_service ON webhook_listeners (service_id);

CREATE TABLE webhook_notices (
    webhook_id uuid NOT NULL,
    state text NOT NULL,
    since timestamptz(6) NOT NULL,
    CONSTRAINT webhook_notices_pkey PRIMARY KEY (webhook_id)
);

CREATE TABLE webhook_secrets (
    webhook_id uuid NOT NULL,
    current text NOT NULL,
    next text,
    service_id uuid NOT NULL,
    CONSTRAINT webhook_secrets_pkey PRIMARY KEY (webhook_id)
);
CREATE INDEX webhook_secrets_service ON webhook_secrets (service_id);

CREATE TABLE webhooks (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    created_at timestamptz(3) NOT NULL,
    workspace_id uuid NOT NULL,
    rate_limit integer,
    ordered boolean DEFAULT false NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (id)
);
CREATE INDEX webhooks_service_id_idx ON webhooks (service_id);
INSERT INTO dispatch_partitions (partition) SELECT generate_series(0, 63);
