-- Read models of administration, folded from the events and rebuilt from them.

CREATE TABLE email_services (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('sandbox', 'production')),
  enabled boolean NOT NULL,
  open_tracking boolean NOT NULL,
  click_tracking boolean NOT NULL,
  suppression boolean NOT NULL,
  limits jsonb NOT NULL,
  daily_quota integer,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX email_services_workspace ON email_services (workspace_id, created_at);

CREATE TABLE daily_quota_changes (
  service_id uuid NOT NULL,
  day date NOT NULL,
  at timestamptz(3) NOT NULL,
  "from" integer NOT NULL,
  "to" integer NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (service_id, day)
);

-- A revoked key has no row.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  service_id uuid NOT NULL,
  name text NOT NULL,
  key_hash text NOT NULL UNIQUE,
  key_prefix text NOT NULL,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX api_keys_service ON api_keys (service_id, created_at);

CREATE TABLE sending_domains (
  id uuid PRIMARY KEY,
  service_id uuid NOT NULL,
  domain text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'verified', 'records_lost')),
  dkim jsonb NOT NULL,
  next_dkim jsonb,
  records jsonb NOT NULL,
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  UNIQUE (service_id, domain)
);

CREATE TABLE verified_recipients (
  id uuid PRIMARY KEY,
  service_id uuid NOT NULL,
  address text NOT NULL,
  status text NOT NULL CHECK (status IN ('awaiting_code', 'verified')),
  code_expires_at timestamptz(3),
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  UNIQUE (service_id, address)
);

-- The last event that changed anything of the service: whoever keeps a copy compares this to know that it still holds.
CREATE TABLE sender_revisions (
  service_id uuid PRIMARY KEY,
  revision text NOT NULL
);

-- Plain records of administration, which no event can bring back.

-- Private halves of DKIM keys, AES-256-GCM under POSTERN_ENCRYPTION_KEYS, each bound to its row.
CREATE TABLE dkim_keys (
  id uuid PRIMARY KEY,
  domain_id uuid NOT NULL,
  selector text NOT NULL,
  sealed_private_key text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- When a sending domain was looked up last and is to be looked up next. No row means at once.
CREATE TABLE domain_checks (
  domain_id uuid PRIMARY KEY,
  checked_at timestamptz(3),
  due_at timestamptz NOT NULL
);
CREATE INDEX domain_checks_due ON domain_checks (due_at);

-- Verification codes mailed for a service, by the hour they went out in.
CREATE TABLE code_mails (
  service_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (service_id, hour)
);

-- Written now and then, never on the way of a send.
CREATE TABLE api_key_uses (
  key_id uuid PRIMARY KEY,
  last_used_at timestamptz(3) NOT NULL
);

-- Messages that bounced or were complained about, under the UTC day of the first such report, where each counts once.
CREATE TABLE reported_emails (
  service_id uuid NOT NULL,
  email_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('bounced', 'complained')),
  day date NOT NULL,
  PRIMARY KEY (service_id, email_id, kind)
);
CREATE INDEX reported_emails_day ON reported_emails (service_id, day);

-- UTC days whose counts have been held against the quota.
CREATE TABLE judged_days (
  service_id uuid NOT NULL,
  day date NOT NULL,
  PRIMARY KEY (service_id, day)
);
