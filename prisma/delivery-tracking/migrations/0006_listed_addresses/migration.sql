-- Addresses that a user listed belong to no message.
ALTER TABLE suppressed_addresses ALTER COLUMN email_id DROP NOT NULL;
