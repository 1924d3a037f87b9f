-- An attempt may come a day after its event: what is to continue the trace has to wait with the delivery.
ALTER TABLE deliveries ADD COLUMN traceparent text;
