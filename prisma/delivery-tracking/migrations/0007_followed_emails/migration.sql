-- What email-send said about a message after its acceptance, and the trace in which it was sent. Null for messages of earlier releases,
-- whose streams have both.
ALTER TABLE tracked_emails ADD COLUMN hand_over jsonb;
ALTER TABLE tracked_emails ADD COLUMN traceparent text;
