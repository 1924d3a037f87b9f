-- Where a workspace wants to be told what its owners are mailed. The URL and the signing secret are encrypted.
CREATE TABLE notification_targets (
    id uuid NOT NULL PRIMARY KEY,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    shown_url text NOT NULL,
    sealed text NOT NULL,
    failing_since timestamptz(3),
    last_error text,
    last_delivered_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX notification_targets_workspace ON notification_targets (workspace_id, created_at);

CREATE TABLE notification_deliveries (
    id uuid NOT NULL PRIMARY KEY,
    target_id uuid NOT NULL REFERENCES notification_targets (id) ON DELETE CASCADE ON UPDATE CASCADE,
    notice_id text NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3) DEFAULT now(),
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX notification_deliveries_target_id_notice_id_key ON notification_deliveries (target_id, notice_id);
CREATE INDEX notification_deliveries_next_attempt_at_idx ON notification_deliveries (next_attempt_at);
