-- Where the log of a web service is sent. The URL with its secrets and the headers are in sealed_values under the same id.
CREATE TABLE log_drains (
    id uuid NOT NULL PRIMARY KEY,
    web_service_id uuid NOT NULL REFERENCES web_service_standings (web_service_id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    shown_url text NOT NULL,
    header_names text[] NOT NULL,
    cursor text NOT NULL,
    lines_before bigint NOT NULL,
    lines_waiting bigint,
    lines_lost bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz(3),
    next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
    last_error text,
    last_delivered_at timestamptz(3),
    disabled_at timestamptz(3),
    mailed_state text,
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX log_drains_web_service_id_idx ON log_drains (web_service_id);
