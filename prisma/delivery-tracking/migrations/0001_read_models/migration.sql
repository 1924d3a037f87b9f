-- Read models and waiting signals, the truth is in the event store's own schema.

-- One row an email, its recipients inside: a batch of events is one read and one write of its emails.
-- Nothing that changes often is indexed, so that updates stay within their page.
CREATE TABLE tracked_emails (
  id            uuid PRIMARY KEY,
  service_id    uuid NOT NULL,
  status        text NOT NULL,
  mode          text NOT NULL,
  sender        text NOT NULL,
  subject       text NOT NULL,
  accepted_at   timestamptz(3) NOT NULL,
  counts        boolean NOT NULL,
  recipients    jsonb NOT NULL,
  states        text[] NOT NULL,
  search        text NOT NULL,
  waiting_since timestamptz(3)
) WITH (fillfactor = 80);
CREATE INDEX tracked_emails_of_service ON tracked_emails (service_id, accepted_at DESC, id DESC);
CREATE INDEX tracked_emails_waiting ON tracked_emails (waiting_since) WHERE waiting_since IS NOT NULL;

-- Recipients by service and UTC day of acceptance, simulator mail is left out.
CREATE TABLE daily_email_counts (
  service_id     uuid NOT NULL,
  day            date NOT NULL,
  accepted       integer NOT NULL DEFAULT 0,
  sent           integer NOT NULL DEFAULT 0,
  failed         integer NOT NULL DEFAULT 0,
  delivered      integer NOT NULL DEFAULT 0,
  bounced_hard   integer NOT NULL DEFAULT 0,
  bounced_soft   integer NOT NULL DEFAULT 0,
  complained     integer NOT NULL DEFAULT 0,
  opened         integer NOT NULL DEFAULT 0,
  clicked        integer NOT NULL DEFAULT 0,
  machine_opens  integer NOT NULL DEFAULT 0,
  machine_clicks integer NOT NULL DEFAULT 0,
  PRIMARY KEY (service_id, day)
) WITH (fillfactor = 50);

CREATE TABLE suppressed_addresses (
  service_id uuid NOT NULL,
  address    text NOT NULL,
  reason     text NOT NULL,
  email_id   uuid NOT NULL,
  at         timestamptz(3) NOT NULL,
  PRIMARY KEY (service_id, address)
);
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (service_id, at DESC);

-- Signals that came before their email was known.
CREATE TABLE waiting_signals (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email_id    uuid NOT NULL,
  kind        text NOT NULL,
  told        jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX waiting_signals_email ON waiting_signals (email_id, id);
CREATE INDEX waiting_signals_age ON waiting_signals (received_at);
