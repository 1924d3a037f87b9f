-- Web services that were attached before have the password of the owner.
ALTER TABLE database_credentials ADD COLUMN shared boolean NOT NULL DEFAULT false;
UPDATE database_credentials SET shared = true WHERE database_id IN (SELECT database_id FROM database_attachments);
