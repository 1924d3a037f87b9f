CREATE TABLE bounce_notices (
    id bigint GENERATED ALWAYS AS IDENTITY,
    email_id uuid NOT NULL,
    recipient_index smallint NOT NULL,
    received_at timestamptz NOT NULL,
    rules_version integer NOT NULL,
    evidence jsonb NOT NULL,
    CONSTRAINT bounce_notices_pkey PRIMARY KEY (id)
);
CREATE INDEX bounce_notices_age ON bounce_notices (received_at);

CREATE TABLE bounce_rules (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    phrase text NOT NULL,
    cause text NOT NULL,
    domain text,
    status_code text,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT bounce_rules_pkey PRIMARY KEY (id)
);
CREATE INDEX bounce_rules_of_service ON bounce_rules (service_id, created_at DESC, id DESC);

CREATE TABLE daily_email_counts (
    service_id uuid NOT NULL,
    day date NOT NULL,
    accepted integer DEFAULT 0 NOT NULL,
    sent integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    bounced_hard integer DEFAULT 0 NOT NULL,
    bounced_soft integer DEFAULT 0 NOT NULL,
    complained integer DEFAULT 0 NOT NULL,
    opened integer DEFAULT 0 NOT NULL,
    clicked integer DEFAULT 0 NOT NULL,
    machine_opens integer DEFAULT 0 NOT NULL,
    machine_clicks integer DEFAULT 0 NOT NULL,
    unknown integer DEFAULT 0 NOT NULL,
    retry_requested integer DEFAULT 0 NOT NULL,
    messages integer DEFAULT 0 NOT NULL,
    CONSTRAINT daily_email_counts_pkey PRIMARY KEY (service_id, day)
)
WITH (fillfactor='50');

CREATE TABLE daily_simulator_counts (
    service_id uuid NOT NULL,
    day date NOT NULL,
    accepted integer DEFAULT 0 NOT NULL,
    sent integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    unknown integer DEFAULT 0 NOT NULL,
    retry_requested integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    bounced_hard integer DEFAULT 0 NOT NULL,
    bounced_soft integer DEFAULT 0 NOT NULL,
    complained integer DEFAULT 0 NOT NULL,
    opened integer DEFAULT 0 NOT NULL,
    clicked integer DEFAULT 0 NOT NULL,
    machine_opens integer DEFAULT 0 NOT NULL,
    machine_clicks integer DEFAULT 0 NOT NULL,
    messages integer DEFAULT 0 NOT NULL,
    CONSTRAINT daily_simulator_counts_pkey PRIMARY KEY (service_id, day)
)
WITH (fillfactor='50');

CREATE TABLE kept_daily_counts (
    service_id uuid NOT NULL,
    day date NOT NULL,
    simulated boolean NOT NULL,
    accepted integer DEFAULT 0 NOT NULL,
    sent integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    bounced_hard integer DEFAULT 0 NOT NULL,
    bounced_soft integer DEFAULT 0 NOT NULL,
    complained integer DEFAULT 0 NOT NULL,
    opened integer DEFAULT 0 NOT NULL,
    clicked integer DEFAULT 0 NOT NULL,
    machine_opens integer DEFAULT 0 NOT NULL,
    machine_clicks integer DEFAULT 0 NOT NULL,
    unknown integer DEFAULT 0 NOT NULL,
    retry_requested integer DEFAULT 0 NOT NULL,
    CONSTRAINT kept_daily_counts_pkey PRIMARY KEY (service_id, day, simulated)
)
WITH (fillfactor='50');

CREATE TABLE suppressed_addresses (
    service_id uuid NOT NULL,
    address text NOT NULL,
    reason text NOT NULL,
    email_id uuid,
    at timestamptz(3) NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (service_id, address)
);
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (service_id, at DESC);

CREATE TABLE tracked_emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    status text NOT NULL,
    mode text NOT NULL,
    sender text NOT NULL,
    subject text NOT NULL,
    accepted_at timestamptz(3) NOT NULL,
    counts boolean NOT NULL,
    recipients jsonb NOT NULL,
    states text[] NOT NULL,
    search text NOT NULL,
    waiting_since timestamptz(3),
    result text DEFAULT 'unknown' NOT NULL,
    tags text[],
    message_id text,
    address text COLLATE "C",
    hand_over jsonb,
    traceparent text,
    CONSTRAINT tracked_emails_pkey PRIMARY KEY (id)
)
WITH (fillfactor='80');
CREATE INDEX tracked_emails_address ON tracked_emails (service_id, address, accepted_at DESC);
CREATE INDEX tracked_emails_bounced ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (states @> '{bounced}'::text[]);
CREATE INDEX tracked_emails_complained ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (states @> '{complained}'::text[]);
CREATE INDEX tracked_emails_message_id ON tracked_emails USING hash (message_id);
CREATE INDEX tracked_emails_not_sent ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (states @> '{not_sent}'::text[]);
CREATE INDEX tracked_emails_of_result ON tracked_emails (service_id, result, accepted_at DESC, id DESC) WHERE (result <> 'sent');
CREATE INDEX tracked_emails_of_service ON tracked_emails (service_id, accepted_at DESC, id DESC);
CREATE INDEX tracked_emails_sandbox_sender ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (mode = 'sandbox_fallback');
CREATE INDEX tracked_emails_under_way ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (states && '{pending,handed_over,deferred}'::text[]);
CREATE INDEX tracked_emails_unknown ON tracked_emails (service_id, accepted_at DESC, id DESC) WHERE (states @> '{unknown}'::text[]);
CREATE INDEX tracked_emails_waiting ON tracked_emails (waiting_since) WHERE (waiting_since IS NOT NULL);
CREATE INDEX tracked_emails_with_tag ON tracked_emails USING gin (tags) WHERE (tags IS NOT NULL);

CREATE TABLE tracked_other_recipients (
    service_id uuid NOT NULL,
    address text NOT NULL COLLATE "C",
    accepted_at timestamptz(3) NOT NULL,
    email_id uuid NOT NULL,
    CONSTRAINT tracked_other_recipients_pkey PRIMARY KEY (service_id, address, accepted_at, email_id)
);

CREATE TABLE waiting_signals (
    id bigint GENERATED ALWAYS AS IDENTITY,
    email_id uuid NOT NULL,
    kind text NOT NULL,
    told jsonb NOT NULL,
    received_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT waiting_signals_pkey PRIMARY KEY (id)
);
CREATE INDEX waiting_signals_age ON waiting_signals (received_at);
CREATE INDEX waiting_signals_email ON waiting_signals (email_id, id);
