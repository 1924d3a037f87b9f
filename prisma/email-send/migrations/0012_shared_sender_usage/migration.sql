-- A third counter: messages of a production service through the shared sender to recipients that are not verified.
ALTER TABLE sending_usage DROP CONSTRAINT sending_usage_period_check,
  ADD CONSTRAINT sending_usage_period_check CHECK (period IN ('minute', 'day', 'shared_day'));
