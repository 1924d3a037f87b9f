CREATE FUNCTION admit_emails(rounds integer[], streams text[], expected integer[], metadata jsonb[], occurred timestamptz, owners integer[], numbers integer[], event_ids uuid[], types text[], data jsonb[], key_services uuid[], keys text[], key_fingerprints uuid[], key_emails uuid[], key_times timestamptz[], counter_services uuid[], counter_periods text[], counter_starts timestamptz[], amounts integer[], limits bigint[], emails uuid[], bodies bytea[], body_key text, fingerprints uuid[], deadlines timestamptz[], instance uuid, recognised_after timestamptz, recognised_until timestamptz) RETURNS TABLE(service_id uuid, period text, starts_at timestamptz, used integer)
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
    INSERT INTO idempotency_keys AS known (service_id, key, fingerprint, email_id, claimed_at)
    SELECT * FROM unnest(key_services, keys, key_fingerprints, key_emails, key_times)
    ON CONFLICT (service_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, email_id = excluded.email_id, claimed_at = excluded.claimed_at
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
  INSERT INTO sealed_email_bodies (email_id, key_id, body)
  SELECT id, body_key, body FROM unnest(emails, bodies) AS message (id, body);

  INSERT INTO open_requests (email_id, instance_id, fingerprint, answer_by)
  SELECT id, instance, print, deadline FROM unnest(emails, fingerprints, deadlines) AS message (id, print, deadline);
END $$;

CREATE TABLE api_key_uses (
    key_id uuid NOT NULL,
    last_used_at timestamptz(3) NOT NULL,
    CONSTRAINT api_key_uses_pkey PRIMARY KEY (key_id)
);

CREATE TABLE api_keys (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    key_prefix text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
    CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_service ON api_keys (service_id, created_at);

CREATE TABLE code_mail_counts (
    scope text NOT NULL,
    subject text NOT NULL,
    starts_at timestamptz(6) NOT NULL,
    sent integer NOT NULL,
    CONSTRAINT code_mail_counts_pkey PRIMARY KEY (scope, subject, starts_at)
);

CREATE TABLE code_mails (
    service_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    sent integer NOT NULL,
    CONSTRAINT code_mails_pkey PRIMARY KEY (service_id, hour)
);

CREATE TABLE code_opt_outs (
    mailbox_hash text NOT NULL,
    opted_out_at timestamptz(3) NOT NULL,
    CONSTRAINT code_opt_outs_pkey PRIMARY KEY (mailbox_hash)
);

CREATE TABLE daily_quota_changes (
    service_id uuid NOT NULL,
    day date NOT NULL,
    at timestamptz(3) NOT NULL,
    "from" integer NOT NULL,
    "to" integer NOT NULL,
    reason text NOT NULL,
    CONSTRAINT daily_quota_changes_pkey PRIMARY KEY (service_id, day)
);

CREATE TABLE deferred_copies (
    email_id uuid NOT NULL,
    recipient_index smallint NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamptz NOT NULL,
    deadline timestamptz NOT NULL,
    claim uuid,
    claimed_until timestamptz,
    CONSTRAINT deferred_copies_pkey PRIMARY KEY (email_id, recipient_index)
);
CREATE INDEX deferred_copies_due ON deferred_copies (due_at);

CREATE TABLE dkim_ed25519_keys (
    rsa_key_id uuid NOT NULL,
    selector text NOT NULL,
    record text NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT dkim_ed25519_keys_pkey PRIMARY KEY (rsa_key_id)
);

CREATE TABLE dkim_keys (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    selector text NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamptz(3) DEFAULT now() NOT NULL,
    CONSTRAINT dkim_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX dkim_keys_domain ON dkim_keys (domain_id);

CREATE TABLE domain_checks (
    domain_id uuid NOT NULL,
    checked_at timestamptz(3),
    due_at timestamptz NOT NULL,
    CONSTRAINT domain_checks_pkey PRIMARY KEY (domain_id)
);
CREATE INDEX domain_checks_due ON domain_checks (due_at);

CREATE TABLE domain_reports (
    domain_id uuid NOT NULL,
    kind text NOT NULL,
    reporter text NOT NULL,
    report_id text NOT NULL,
    reporter_domain text NOT NULL,
    begins_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    received_at timestamptz(3) NOT NULL,
    passed bigint NOT NULL,
    failed bigint NOT NULL,
    details jsonb NOT NULL,
    CONSTRAINT domain_reports_pkey PRIMARY KEY (domain_id, kind, reporter, report_id)
);
CREATE INDEX domain_reports_ends_at ON domain_reports (ends_at);
CREATE INDEX domain_reports_received_at ON domain_reports (received_at);

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
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT email_services_mode_check CHECK (mode IN ('sandbox', 'production')),
    CONSTRAINT email_services_pkey PRIMARY KEY (id)
);
CREATE INDEX email_services_workspace ON email_services (workspace_id, created_at);

CREATE TABLE emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    record text NOT NULL,
    CONSTRAINT emails_pkey PRIMARY KEY (id)
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
    requested_at timestamptz(3) NOT NULL,
    completed_at timestamptz(3),
    CONSTRAINT erasures_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX erasures_address_hash_key ON erasures (address_hash);
CREATE INDEX erasures_requested ON erasures (requested_at);

CREATE TABLE idempotency_keys (
    service_id uuid NOT NULL,
    key text NOT NULL,
    email_id uuid NOT NULL,
    claimed_at timestamptz NOT NULL,
    fingerprint uuid NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (service_id, key)
);
CREATE INDEX idempotency_keys_claimed_at ON idempotency_keys (claimed_at);

CREATE TABLE judged_days (
    service_id uuid NOT NULL,
    day date NOT NULL,
    CONSTRAINT judged_days_pkey PRIMARY KEY (service_id, day)
);

CREATE TABLE logged_requests (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key_name text NOT NULL,
    request_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    code text,
    message text,
    duration_ms integer NOT NULL,
    email_id uuid,
    body text,
    CONSTRAINT logged_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX logged_requests_age ON logged_requests (at);
CREATE INDEX logged_requests_newest ON logged_requests (service_id, at DESC, id DESC);
CREATE INDEX logged_requests_request_id ON logged_requests (service_id, request_id);

CREATE TABLE mailbox_hash_keys (
    id uuid NOT NULL,
    sealed_key text NOT NULL,
    CONSTRAINT mailbox_hash_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE open_requests (
    email_id uuid NOT NULL,
    instance_id uuid NOT NULL,
    fingerprint uuid,
    answer_by timestamptz NOT NULL,
    admitted_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT open_requests_pkey PRIMARY KEY (email_id)
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');
CREATE INDEX open_requests_fingerprint ON open_requests (fingerprint);

CREATE TABLE owner_mails (
    resource_id uuid NOT NULL,
    kind text NOT NULL,
    user_id uuid NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    claimed_at timestamptz(3),
    CONSTRAINT owner_mails_pkey PRIMARY KEY (resource_id, kind, user_id)
);
CREATE INDEX owner_mails_occurred_at ON owner_mails (occurred_at);

CREATE TABLE provider_endpoints (
    id uuid NOT NULL,
    kind text NOT NULL,
    token_hash text NOT NULL,
    previous_token_hash text,
    previous_until timestamptz(3),
    sealed_credentials text NOT NULL,
    topic_arn text,
    authentication text NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    ignored bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    last_event_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT provider_endpoints_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_endpoints_previous_token ON provider_endpoints (previous_token_hash);
CREATE UNIQUE INDEX provider_endpoints_token ON provider_endpoints (token_hash);

CREATE TABLE reported_emails (
    service_id uuid NOT NULL,
    email_id uuid NOT NULL,
    kind text NOT NULL,
    day date NOT NULL,
    CONSTRAINT reported_emails_kind_check CHECK (kind IN ('bounced', 'complained')),
    CONSTRAINT reported_emails_pkey PRIMARY KEY (service_id, email_id, kind)
);
CREATE INDEX reported_emails_day ON reported_emails (service_id, day);

CREATE TABLE scheduled_emails (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    key_hash text NOT NULL,
    state text NOT NULL,
    send_at timestamptz(3) NOT NULL,
    due_at timestamptz NOT NULL,
    attempt_id uuid NOT NULL,
    email_id uuid,
    error text,
    claim uuid,
    claimed_until timestamptz,
    recipients text[] NOT NULL,
    bytes integer NOT NULL,
    sealed text,
    sealed_summary text,
    created_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    CONSTRAINT scheduled_emails_state_check CHECK (state IN ('scheduled', 'sent', 'cancelled', 'failed')),
    CONSTRAINT scheduled_emails_pkey PRIMARY KEY (id)
);
ALTER TABLE scheduled_emails ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX scheduled_emails_due ON scheduled_emails (due_at) WHERE (state = 'scheduled');
CREATE INDEX scheduled_emails_finished ON scheduled_emails (finished_at);
CREATE INDEX scheduled_emails_recipients ON scheduled_emails USING gin (recipients);
CREATE INDEX scheduled_emails_service ON scheduled_emails (service_id, send_at);

CREATE TABLE sealed_email_bodies (
    email_id uuid NOT NULL,
    key_id text NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT sealed_email_bodies_pkey PRIMARY KEY (email_id)
)
WITH (toast_tuple_target='8160');
ALTER TABLE sealed_email_bodies ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX sealed_email_bodies_key ON sealed_email_bodies (key_id, email_id);

CREATE TABLE sender_revisions (
    service_id uuid NOT NULL,
    revision text NOT NULL,
    CONSTRAINT sender_revisions_pkey PRIMARY KEY (service_id)
);

CREATE TABLE sending_domains (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    domain text NOT NULL,
    status text NOT NULL,
    dkim jsonb NOT NULL,
    next_dkim jsonb,
    records jsonb NOT NULL,
    verified_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    tracking_host text,
    tracking_status text,
    tracking_verified_at timestamptz(3),
    CONSTRAINT sending_domains_status_check CHECK (status IN ('pending', 'verified', 'records_lost')),
    CONSTRAINT sending_domains_pkey PRIMARY KEY (id),
    CONSTRAINT sending_domains_service_id_domain_key UNIQUE (service_id, domain)
);
CREATE INDEX sending_domains_tracking_host ON sending_domains (tracking_host);

CREATE TABLE sending_usage (
    service_id uuid NOT NULL,
    period text NOT NULL,
    starts_at timestamptz NOT NULL,
    used integer NOT NULL,
    CONSTRAINT sending_usage_period_check CHECK (period IN ('minute', 'day', 'shared_day')),
    CONSTRAINT sending_usage_pkey PRIMARY KEY (service_id, period, starts_at)
)
WITH (fillfactor='50');

CREATE TABLE suppressed_addresses (
    service_id uuid NOT NULL,
    address text NOT NULL,
    told_at timestamptz NOT NULL,
    lifted boolean DEFAULT false NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (service_id, address)
);

CREATE TABLE template_versions (
    template_id uuid NOT NULL,
    version integer NOT NULL,
    subject text NOT NULL,
    html text NOT NULL,
    text text,
    variables text[] NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT template_versions_pkey PRIMARY KEY (template_id, version)
);

CREATE TABLE templates (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT templates_pkey PRIMARY KEY (id),
    CONSTRAINT templates_service_id_name_key UNIQUE (service_id, name)
);

CREATE TABLE unresolved_emails (
    email_id uuid NOT NULL,
    CONSTRAINT unresolved_emails_pkey PRIMARY KEY (email_id)
);

CREATE TABLE verified_recipients (
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    address text NOT NULL,
    status text NOT NULL,
    code_expires_at timestamptz(3),
    verified_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT verified_recipients_status_check CHECK (status IN ('awaiting_code', 'verified')),
    CONSTRAINT verified_recipients_pkey PRIMARY KEY (id),
    CONSTRAINT verified_recipients_service_id_address_key UNIQUE (service_id, address)
);

ALTER TABLE dkim_ed25519_keys ADD CONSTRAINT dkim_ed25519_keys_rsa_key_id_fkey FOREIGN KEY (rsa_key_id) REFERENCES dkim_keys(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE dkim_keys ADD CONSTRAINT dkim_keys_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domain_checks(domain_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE domain_reports ADD CONSTRAINT domain_reports_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domain_checks(domain_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE template_versions ADD CONSTRAINT template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON UPDATE CASCADE ON DELETE CASCADE;
