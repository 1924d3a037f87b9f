CREATE TABLE scheduled_emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    key_hash text NOT NULL,
    state text NOT NULL,
    send_at timestamp(3) with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempt_id uuid NOT NULL,
    email_id uuid,
    error text,
    claim uuid,
    claimed_until timestamp with time zone,
    recipients text[] NOT NULL,
    bytes integer NOT NULL,
    sealed text,
    sealed_summary text,
    created_at timestamp(3) with time zone NOT NULL,
    finished_at timestamp(3) with time zone,
    CONSTRAINT scheduled_emails_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'sent'::text, 'cancelled'::text, 'failed'::text])))
);
ALTER TABLE ONLY scheduled_emails ALTER COLUMN sealed SET STORAGE EXTERNAL;

ALTER TABLE ONLY scheduled_emails
    ADD CONSTRAINT scheduled_emails_pkey PRIMARY KEY (id);

CREATE INDEX scheduled_emails_due ON scheduled_emails USING btree (due_at) WHERE (state = 'scheduled'::text);

CREATE INDEX scheduled_emails_service ON scheduled_emails USING btree (service_id, send_at);

CREATE INDEX scheduled_emails_finished ON scheduled_emails USING btree (finished_at);

CREATE INDEX scheduled_emails_recipients ON scheduled_emails USING gin (recipients);
