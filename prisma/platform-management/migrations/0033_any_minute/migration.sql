-- Calls of the last minute by quarter seconds, and those of the last batch beyond the limit. The previous release uses the
-- other columns.
ALTER TABLE platform_call_counts ADD COLUMN slots bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN slot_calls integer[] NOT NULL DEFAULT '{}', ADD COLUMN beyond_limit integer NOT NULL DEFAULT 0,
  ALTER COLUMN began_at SET DEFAULT now(), ALTER COLUMN calls SET DEFAULT 0;
