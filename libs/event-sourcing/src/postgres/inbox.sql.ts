export const ACCEPT = `INSERT INTO event_store.inbox (consumer, event_id) SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id
  ON CONFLICT DO NOTHING RETURNING event_id`;

export const PURGE = `DELETE FROM event_store.inbox WHERE (consumer, event_id) IN (
  SELECT consumer, event_id FROM event_store.inbox WHERE received_at < now() - make_interval(days => $1) LIMIT $2)`;
