-- The counts of messages whose retention is over. No read model: their events are deleted.
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
    PRIMARY KEY (service_id, day, simulated)
)
WITH (fillfactor='50');
