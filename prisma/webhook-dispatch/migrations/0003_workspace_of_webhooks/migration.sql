-- Null for webhooks created before, which then share the limits of their email service.
ALTER TABLE webhooks ADD COLUMN workspace_id uuid;
