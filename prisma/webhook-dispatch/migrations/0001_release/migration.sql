CREATE TABLE attempts (
    delivery_id uuid NOT NULL,
    number smallint NOT NULL,
    at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    status smallint,
    latency_ms integer NOT NULL,
    error text,
    response_head text,
    CONSTRAINT attempts_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'retry'::text])))
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
    next_attempt_at timestamp with time zone,
    fence bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    traceparent text,
    claimed_until timestamp with time zone,
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'accepted'::text, 'refused'::text, 'dropped'::text, 'held'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='1', fillfactor='50');

CREATE SEQUENCE delivery_fence
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE failing_webhooks (
    webhook_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    latest timestamp with time zone NOT NULL
);

CREATE TABLE webhook_listener_events (
    listener_id uuid NOT NULL,
    number bigint NOT NULL,
    payload text NOT NULL
);

CREATE TABLE webhook_listeners (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_number bigint DEFAULT 0 NOT NULL,
    read_number bigint DEFAULT 0 NOT NULL
);

CREATE TABLE webhook_secrets (
    webhook_id uuid NOT NULL,
    current text NOT NULL,
    next text,
    service_id uuid
);

CREATE TABLE webhooks (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    created_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY failing_webhooks
    ADD CONSTRAINT failing_webhooks_pkey PRIMARY KEY (webhook_id);

ALTER TABLE ONLY webhook_listener_events
    ADD CONSTRAINT webhook_listener_events_pkey PRIMARY KEY (listener_id, number);

ALTER TABLE ONLY webhook_listeners
    ADD CONSTRAINT webhook_listeners_pkey PRIMARY KEY (id);

ALTER TABLE ONLY webhook_secrets
    ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (webhook_id);

ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

CREATE INDEX deliveries_due ON deliveries USING btree (webhook_id, next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_email ON deliveries USING btree (((((payload)::json ->> 'email_id'::text))::uuid));

CREATE INDEX deliveries_made ON deliveries USING brin (created_at);

CREATE INDEX deliveries_newest ON deliveries USING btree (webhook_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX deliveries_once ON deliveries USING btree (event_id, webhook_id) WHERE (replay_of IS NULL);

CREATE INDEX deliveries_replays ON deliveries USING btree (replay_of) WHERE (replay_of IS NOT NULL);

CREATE INDEX webhook_listeners_service ON webhook_listeners USING btree (service_id);

CREATE INDEX webhook_secrets_service ON webhook_secrets USING btree (service_id);

CREATE INDEX webhooks_service_id_idx ON webhooks USING btree (service_id);
