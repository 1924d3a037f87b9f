-- Whether a user is mailed about failures in the workspaces that they own.
ALTER TABLE credentials ADD COLUMN service_mails boolean NOT NULL DEFAULT true;
