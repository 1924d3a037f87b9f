-- The times of the stages of a deployment, and the description of its commit. Null in deployments of earlier releases.
ALTER TABLE deployments
    ADD COLUMN resolved_at timestamptz(3),
    ADD COLUMN built_at timestamptz(3),
    ADD COLUMN commit_message text,
    ADD COLUMN commit_author text;
