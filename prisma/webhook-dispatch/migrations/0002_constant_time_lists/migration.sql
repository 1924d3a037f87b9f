-- A column, because an index of an expression would parse the payload of each new delivery.
ALTER TABLE deliveries ADD COLUMN email_id uuid;
UPDATE deliveries SET email_id = (payload::json ->> 'email_id')::uuid
  WHERE event_id IS NOT NULL AND payload::json ->> 'email_id' IS NOT NULL;
DROP INDEX deliveries_email;
CREATE INDEX deliveries_email ON deliveries (email_id) WHERE email_id IS NOT NULL;

CREATE INDEX deliveries_missed ON deliveries (webhook_id, state, created_at DESC, id DESC)
  WHERE state IN ('refused', 'dropped', 'held');

-- Old deliveries are found by their id, which begins with the time. The ranges of a BRIN index only widen.
DROP INDEX deliveries_made;
