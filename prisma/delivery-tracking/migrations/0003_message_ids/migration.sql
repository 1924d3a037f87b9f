-- The Message-ID of each message. Filled by the rebuild of the read model.
ALTER TABLE tracked_emails ADD COLUMN message_id text;
