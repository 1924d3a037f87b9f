-- Whether a user gets the daily mail about what needs somebody in the workspaces that they own.
ALTER TABLE credentials ADD COLUMN status_mails boolean NOT NULL DEFAULT true;
