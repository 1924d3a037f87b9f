export const KEEP = `INSERT INTO event_store.set_aside_events (consumer, event_id, type, envelope, failures, last_error, retry_at)
  VALUES ($1, $2, $3, $4, 1, $5, now() + make_interval(secs => $6::float / 1000)) ON CONFLICT DO NOTHING`;

export const TAKE_DUE = `UPDATE event_store.set_aside_events e SET retry_at = now() + make_interval(secs => $2::float / 1000)
  FROM (
    SELECT consumer, event_id FROM event_store.set_aside_events
    WHERE consumer = $1 AND retry_at <= now() ORDER BY set_aside_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) due
  WHERE e.consumer = due.consumer AND e.event_id = due.event_id RETURNING e.consumer, e.envelope, e.failures`;

export const FAILED_AGAIN = `UPDATE event_store.set_aside_events SET failures = failures + 1, last_error = $3,
    retry_at = now() + make_interval(secs => $4::float / 1000)
  WHERE consumer = $1 AND event_id = $2`;

export const REMOVE = 'DELETE FROM event_store.set_aside_events WHERE consumer = $1 AND event_id = $2';

export const LIST = `SELECT consumer, event_id AS "eventId", type, failures, last_error AS "lastError",
    set_aside_at AS "setAsideAt", retry_at AS "retryAt", count(*) OVER () AS total
  FROM event_store.set_aside_events ORDER BY set_aside_at, event_id LIMIT $1`;

export const RETRY_NOW = 'UPDATE event_store.set_aside_events SET retry_at = now() WHERE event_id = $1';

export const DISCARD = 'DELETE FROM event_store.set_aside_events WHERE event_id = $1 RETURNING consumer';

export const SELECT_WITH_TRACES = `SELECT consumer, event_id, envelope FROM event_store.set_aside_events
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace
                WHERE strpos(lower(envelope::text || last_error), trace) > 0) FOR UPDATE`;

export const ERASE = `UPDATE event_store.set_aside_events SET envelope = $3, last_error = ''
  WHERE consumer = $1 AND event_id = $2 AND (envelope <> $3::jsonb OR last_error <> '')`;
