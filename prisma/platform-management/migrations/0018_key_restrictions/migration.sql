-- The projects and the operations that a key is restricted to; null for all.
ALTER TABLE platform_keys ADD COLUMN projects uuid[];
ALTER TABLE platform_keys ADD COLUMN operations text[];
