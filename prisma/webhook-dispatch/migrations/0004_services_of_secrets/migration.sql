-- Secrets are written in the transaction of their webhook, so they can be counted against the limit of its service.
-- Null only for those that a replica of the release before writes during an upgrade.
ALTER TABLE webhook_secrets ADD COLUMN service_id uuid;
UPDATE webhook_secrets SET service_id = webhooks.service_id FROM webhooks WHERE webhooks.id = webhook_secrets.webhook_id;
CREATE INDEX webhook_secrets_service ON webhook_secrets (service_id);
