-- Finds the deliveries of one message. Payloads are JSON that this service writes.
CREATE INDEX deliveries_email ON deliveries (((payload::json ->> 'email_id')::uuid));
