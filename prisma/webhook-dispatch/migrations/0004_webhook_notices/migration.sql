-- Webhooks that their owners were mailed about: once when an episode of failures begins, once when the webhook is disabled,
-- and once when it works again.
CREATE TABLE webhook_notices (
    webhook_id uuid NOT NULL PRIMARY KEY,
    state text NOT NULL,
    since timestamptz(6) NOT NULL
);
