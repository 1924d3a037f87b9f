CREATE TABLE bounce_notices (
    id bigint NOT NULL,
    email_id uuid NOT NULL,
    recipient_index smallint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    rules_version integer NOT NULL,
    evidence jsonb NOT NULL
);

ALTER TABLE bounce_notices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME bounce_notices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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
    retry_requested integer DEFAULT 0 NOT NULL
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
    machine_clicks integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE suppressed_addresses (
    service_id uuid NOT NULL,
    address text NOT NULL,
    reason text NOT NULL,
    email_id uuid,
    at timestamp(3) with time zone NOT NULL
);

CREATE TABLE tracked_emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    status text NOT NULL,
    mode text NOT NULL,
    sender text NOT NULL,
    subject text NOT NULL,
    accepted_at timestamp(3) with time zone NOT NULL,
    counts boolean NOT NULL,
    recipients jsonb NOT NULL,
    states text[] NOT NULL,
    search text NOT NULL,
    waiting_since timestamp(3) with time zone,
    result text DEFAULT 'unknown'::text NOT NULL
)
WITH (fillfactor='80');

CREATE TABLE waiting_signals (
    id bigint NOT NULL,
    email_id uuid NOT NULL,
    kind text NOT NULL,
    told jsonb NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE waiting_signals ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME waiting_signals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY bounce_notices
    ADD CONSTRAINT bounce_notices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY daily_email_counts
    ADD CONSTRAINT daily_email_counts_pkey PRIMARY KEY (service_id, day);

ALTER TABLE ONLY daily_simulator_counts
    ADD CONSTRAINT daily_simulator_counts_pkey PRIMARY KEY (service_id, day);

ALTER TABLE ONLY suppressed_addresses
    ADD CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (service_id, address);

ALTER TABLE ONLY tracked_emails
    ADD CONSTRAINT tracked_emails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY waiting_signals
    ADD CONSTRAINT waiting_signals_pkey PRIMARY KEY (id);

CREATE INDEX bounce_notices_age ON bounce_notices USING btree (received_at);

CREATE INDEX suppressed_addresses_newest ON suppressed_addresses USING btree (service_id, at DESC);

CREATE INDEX tracked_emails_of_service ON tracked_emails USING btree (service_id, accepted_at DESC, id DESC);

CREATE INDEX tracked_emails_waiting ON tracked_emails USING btree (waiting_since) WHERE (waiting_since IS NOT NULL);

CREATE INDEX waiting_signals_age ON waiting_signals USING btree (received_at);

CREATE INDEX waiting_signals_email ON waiting_signals USING btree (email_id, id);
