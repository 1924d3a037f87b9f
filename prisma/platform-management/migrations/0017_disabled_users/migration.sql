-- Since when a user may neither log in nor use platform keys; null for users who may.
ALTER TABLE credentials ADD COLUMN disabled_at timestamptz(3);
