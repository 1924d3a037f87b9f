CREATE FUNCTION admit_sealed_emails(rounds integer[], streams text[], expected integer[], metadata jsonb[], occurred timestamp with time zone, owners integer[], numbers integer[], event_ids uuid[], types text[], data jsonb[], key_services uuid[], keys text[], key_hashes text[], key_fingerprints uuid[], key_emails uuid[], key_times timestamp with time zone[], counter_services uuid[], counter_periods text[], counter_starts timestamp with time zone[], amounts integer[], limits bigint[], emails uuid[], bodies text[], fingerprints uuid[], deadlines timestamp with time zone[], instance uuid, recognised_after timestamp with time zone, recognised_until timestamp with time zone) RETURNS TABLE(service_id uuid, period text, starts_at timestamp with time zone, used integer)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
  claimed integer;
  most bigint;
BEGIN
  IF EXISTS (
    SELECT FROM open_requests
    WHERE fingerprint = ANY (fingerprints) AND answer_by > recognised_after AND answer_by <= recognised_until
  ) THEN
    RAISE EXCEPTION 'a request repeats one whose outcome was unknown' USING ERRCODE = 'PS001';
  END IF;

  IF cardinality(keys) > 0 THEN
    INSERT INTO idempotency_keys AS known (service_id, key, body_hash, fingerprint, email_id, claimed_at)
    SELECT * FROM unnest(key_services, keys, key_hashes, key_fingerprints, key_emails, key_times)
    ON CONFLICT (service_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, fingerprint = excluded.fingerprint, email_id = excluded.email_id,
          claimed_at = excluded.claimed_at
      WHERE known.claimed_at < excluded.claimed_at - interval '24 hours';
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed < cardinality(keys) THEN
      RAISE EXCEPTION 'an idempotency key is taken' USING ERRCODE = 'PS001';
    END IF;
  END IF;

  FOR service_id, period, starts_at, used, most IN
    WITH due AS (
      SELECT * FROM unnest(counter_services, counter_periods, counter_starts, amounts, limits)
        AS due (service_id, period, starts_at, amount, most)
    ), counted AS (
      INSERT INTO sending_usage AS usage (service_id, period, starts_at, used)
      SELECT service_id, period, starts_at, amount FROM due
      ON CONFLICT (service_id, period, starts_at) DO UPDATE SET used = greatest(0, usage.used + excluded.used)
      RETURNING service_id, period, starts_at, used
    )
    SELECT counted.*, due.most FROM counted JOIN due USING (service_id, period, starts_at)
  LOOP
    IF used > most THEN
      RAISE EXCEPTION 'a limit would be passed' USING ERRCODE = 'PS001';
    END IF;
    RETURN NEXT;
  END LOOP;

  IF EXISTS (
    SELECT FROM event_store.append(rounds, streams, expected, metadata, occurred, owners, numbers, event_ids, types, data)
    WHERE NOT admitted
  ) THEN
    RAISE EXCEPTION 'a message was admitted before' USING ERRCODE = 'PS001';
  END IF;
  INSERT INTO sealed_email_bodies (email_id, key_id, sealed)
  SELECT id, split_part(body, ':', 1), body FROM unnest(emails, bodies) AS message (id, body);
  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, instance, print, deadline FROM unnest(emails, fingerprints, deadlines) AS message (id, print, deadline);
END $$;

CREATE TABLE api_key_uses (
    key_id uuid NOT NULL,
    last_used_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE api_keys (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE code_mail_counts (
    scope text NOT NULL,
    subject text NOT NULL,
    starts_at timestamp(6) with time zone NOT NULL,
    sent integer NOT NULL
);

CREATE TABLE code_mails (
    service_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    sent integer NOT NULL
);

CREATE TABLE code_opt_outs (
    mailbox_hash text NOT NULL,
    opted_out_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE daily_quota_changes (
    service_id uuid NOT NULL,
    day date NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    "from" integer NOT NULL,
    "to" integer NOT NULL,
    reason text NOT NULL
);

CREATE TABLE deferred_copies (
    email_id uuid NOT NULL,
    recipient_index smallint NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    claim uuid,
    claimed_until timestamp with time zone
);

CREATE TABLE dkim_ed25519_keys (
    rsa_key_id uuid NOT NULL,
    selector text NOT NULL,
    record text NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);

CREATE TABLE dkim_keys (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    selector text NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE domain_checks (
    domain_id uuid NOT NULL,
    checked_at timestamp(3) with time zone,
    due_at timestamp with time zone NOT NULL
);

CREATE TABLE domain_reports (
    domain_id uuid NOT NULL,
    kind text NOT NULL,
    reporter text NOT NULL,
    report_id text NOT NULL,
    reporter_domain text NOT NULL,
    begins_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    passed bigint NOT NULL,
    failed bigint NOT NULL,
    details jsonb NOT NULL
);

CREATE TABLE email_services (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    mode text NOT NULL,
    enabled boolean NOT NULL,
    open_tracking boolean NOT NULL,
    click_tracking boolean NOT NULL,
    suppression boolean NOT NULL,
    limits jsonb NOT NULL,
    daily_quota integer,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT email_services_mode_check CHECK ((mode = ANY (ARRAY['sandbox'::text, 'production'::text])))
);

CREATE TABLE emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    record text NOT NULL
);

CREATE TABLE erasures (
    id uuid NOT NULL,
    address_hash text NOT NULL,
    sealed_address text,
    replacement text NOT NULL,
    status text NOT NULL,
    pass integer NOT NULL,
    services jsonb NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    requested_at timestamp(3) with time zone NOT NULL,
    completed_at timestamp(3) with time zone
);

CREATE TABLE idempotency_keys (
    service_id uuid NOT NULL,
    key text NOT NULL,
    body_hash text NOT NULL,
    email_id uuid NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    fingerprint uuid
);

CREATE TABLE judged_days (
    service_id uuid NOT NULL,
    day date NOT NULL
);

CREATE TABLE mailbox_hash_keys (
    id uuid NOT NULL,
    sealed_key text NOT NULL
);

CREATE TABLE open_requests (
    email_id uuid NOT NULL,
    instance_id uuid NOT NULL,
    fingerprint uuid,
    answer_by timestamp with time zone NOT NULL,
    admitted_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

CREATE TABLE owner_mails (
    resource_id uuid NOT NULL,
    kind text NOT NULL,
    user_id uuid NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    claimed_at timestamp(3) with time zone
);

CREATE TABLE reported_emails (
    service_id uuid NOT NULL,
    email_id uuid NOT NULL,
    kind text NOT NULL,
    day date NOT NULL,
    CONSTRAINT reported_emails_kind_check CHECK ((kind = ANY (ARRAY['bounced'::text, 'complained'::text])))
);

CREATE TABLE sealed_email_bodies (
    email_id uuid NOT NULL,
    key_id text NOT NULL,
    sealed text NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY sealed_email_bodies ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE sender_revisions (
    service_id uuid NOT NULL,
    revision text NOT NULL
);

CREATE TABLE sending_domains (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    domain text NOT NULL,
    status text NOT NULL,
    dkim jsonb NOT NULL,
    next_dkim jsonb,
    records jsonb NOT NULL,
    verified_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sending_domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verified'::text, 'records_lost'::text])))
);

CREATE TABLE sending_usage (
    service_id uuid NOT NULL,
    period text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    used integer NOT NULL,
    CONSTRAINT sending_usage_period_check CHECK ((period = ANY (ARRAY['minute'::text, 'day'::text, 'shared_day'::text])))
)
WITH (fillfactor='50');

CREATE TABLE suppressed_addresses (
    service_id uuid NOT NULL,
    address text NOT NULL,
    told_at timestamp with time zone NOT NULL,
    lifted boolean DEFAULT false NOT NULL
);

CREATE TABLE unresolved_emails (
    email_id uuid NOT NULL
);

CREATE TABLE verified_recipients (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    address text NOT NULL,
    status text NOT NULL,
    code_expires_at timestamp(3) with time zone,
    verified_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT verified_recipients_status_check CHECK ((status = ANY (ARRAY['awaiting_code'::text, 'verified'::text])))
);

ALTER TABLE ONLY api_key_uses
    ADD CONSTRAINT api_key_uses_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY code_mail_counts
    ADD CONSTRAINT code_mail_counts_pkey PRIMARY KEY (scope, subject, starts_at);

ALTER TABLE ONLY code_mails
    ADD CONSTRAINT code_mails_pkey PRIMARY KEY (service_id, hour);

ALTER TABLE ONLY code_opt_outs
    ADD CONSTRAINT code_opt_outs_pkey PRIMARY KEY (mailbox_hash);

ALTER TABLE ONLY daily_quota_changes
    ADD CONSTRAINT daily_quota_changes_pkey PRIMARY KEY (service_id, day);

ALTER TABLE ONLY deferred_copies
    ADD CONSTRAINT deferred_copies_pkey PRIMARY KEY (email_id, recipient_index);

ALTER TABLE ONLY dkim_ed25519_keys
    ADD CONSTRAINT dkim_ed25519_keys_pkey PRIMARY KEY (rsa_key_id);

ALTER TABLE ONLY dkim_keys
    ADD CONSTRAINT dkim_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY domain_checks
    ADD CONSTRAINT domain_checks_pkey PRIMARY KEY (domain_id);

ALTER TABLE ONLY domain_reports
    ADD CONSTRAINT domain_reports_pkey PRIMARY KEY (domain_id, kind, reporter, report_id);

ALTER TABLE ONLY email_services
    ADD CONSTRAINT email_services_pkey PRIMARY KEY (id);

ALTER TABLE ONLY emails
    ADD CONSTRAINT emails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (service_id, key);

ALTER TABLE ONLY judged_days
    ADD CONSTRAINT judged_days_pkey PRIMARY KEY (service_id, day);

ALTER TABLE ONLY mailbox_hash_keys
    ADD CONSTRAINT mailbox_hash_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY open_requests
    ADD CONSTRAINT open_requests_pkey PRIMARY KEY (email_id);

ALTER TABLE ONLY owner_mails
    ADD CONSTRAINT owner_mails_pkey PRIMARY KEY (resource_id, kind, user_id);

ALTER TABLE ONLY reported_emails
    ADD CONSTRAINT reported_emails_pkey PRIMARY KEY (service_id, email_id, kind);

ALTER TABLE ONLY sealed_email_bodies
    ADD CONSTRAINT sealed_email_bodies_pkey PRIMARY KEY (email_id);

ALTER TABLE ONLY sender_revisions
    ADD CONSTRAINT sender_revisions_pkey PRIMARY KEY (service_id);

ALTER TABLE ONLY sending_domains
    ADD CONSTRAINT sending_domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY sending_domains
    ADD CONSTRAINT sending_domains_service_id_domain_key UNIQUE (service_id, domain);

ALTER TABLE ONLY sending_usage
    ADD CONSTRAINT sending_usage_pkey PRIMARY KEY (service_id, period, starts_at);

ALTER TABLE ONLY suppressed_addresses
    ADD CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (service_id, address);

ALTER TABLE ONLY unresolved_emails
    ADD CONSTRAINT unresolved_emails_pkey PRIMARY KEY (email_id);

ALTER TABLE ONLY verified_recipients
    ADD CONSTRAINT verified_recipients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY verified_recipients
    ADD CONSTRAINT verified_recipients_service_id_address_key UNIQUE (service_id, address);

CREATE INDEX api_keys_service ON api_keys USING btree (service_id, created_at);

CREATE INDEX deferred_copies_due ON deferred_copies USING btree (due_at);

CREATE INDEX dkim_keys_domain ON dkim_keys USING btree (domain_id);

CREATE INDEX domain_checks_due ON domain_checks USING btree (due_at);

CREATE INDEX domain_reports_ends_at ON domain_reports USING btree (ends_at);

CREATE INDEX domain_reports_received_at ON domain_reports USING btree (received_at);

CREATE INDEX email_services_workspace ON email_services USING btree (workspace_id, created_at);

CREATE UNIQUE INDEX erasures_address_hash_key ON erasures USING btree (address_hash);

CREATE INDEX erasures_requested ON erasures USING btree (requested_at);

CREATE INDEX idempotency_keys_claimed_at ON idempotency_keys USING btree (claimed_at);

CREATE INDEX open_requests_fingerprint ON open_requests USING btree (fingerprint);

CREATE INDEX owner_mails_occurred_at ON owner_mails USING btree (occurred_at);

CREATE INDEX reported_emails_day ON reported_emails USING btree (service_id, day);

CREATE INDEX sealed_email_bodies_key ON sealed_email_bodies USING btree (key_id, email_id);

ALTER TABLE ONLY dkim_ed25519_keys
    ADD CONSTRAINT dkim_ed25519_keys_rsa_key_id_fkey FOREIGN KEY (rsa_key_id) REFERENCES dkim_keys(id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY dkim_keys
    ADD CONSTRAINT dkim_keys_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domain_checks(domain_id) ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE ONLY domain_reports
    ADD CONSTRAINT domain_reports_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domain_checks(domain_id) ON UPDATE CASCADE ON DELETE CASCADE;
