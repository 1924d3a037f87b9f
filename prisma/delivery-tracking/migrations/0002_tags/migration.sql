-- The tags of each message as `name:value`; null without tags, so that other messages cost the index nothing.
ALTER TABLE tracked_emails ADD COLUMN tags text[];
CREATE INDEX tracked_emails_with_tag ON tracked_emails USING gin (tags) WHERE tags IS NOT NULL;
