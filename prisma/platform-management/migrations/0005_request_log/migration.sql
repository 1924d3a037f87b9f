-- Requests of clients with keys, kept for some days. Bodies have no secrets and no contents of messages.
CREATE TABLE logged_requests (
    id uuid NOT NULL PRIMARY KEY,
    workspace_id uuid NOT NULL,
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
    body text
);

CREATE INDEX logged_requests_newest ON logged_requests (key_id, at DESC, id DESC);

CREATE INDEX logged_requests_request_id ON logged_requests (key_id, request_id);

CREATE INDEX logged_requests_age ON logged_requests (at);
