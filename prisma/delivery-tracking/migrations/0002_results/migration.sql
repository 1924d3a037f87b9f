-- What each message came to, and the recipients of whom that is unknown or whose message the client was to send again.
-- The defaults are for replicas of the release before, until this release has rebuilt both read models.
ALTER TABLE tracked_emails ADD COLUMN result text NOT NULL DEFAULT 'unknown';
ALTER TABLE daily_email_counts
  ADD COLUMN unknown integer NOT NULL DEFAULT 0,
  ADD COLUMN retry_requested integer NOT NULL DEFAULT 0;
