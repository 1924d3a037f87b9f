/** The present names of the resources with the ids `$1`. */
export const NAMES_OF_RESOURCES = `
  SELECT id, name FROM email_services WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM api_keys WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, domain FROM sending_domains WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, address FROM verified_recipients WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id, name FROM templates WHERE id = ANY($1::uuid[])`;

/** The names at creation of resources that may have been deleted since: those in the first events of the streams `$1`. */
export const FIRST_NAMES = `
  SELECT stream_id, coalesce(data->>'name', data->>'domain') AS name FROM event_store.events
  WHERE stream_id = ANY($1::text[]) AND version = 1 AND coalesce(data->>'name', data->>'domain') IS NOT NULL`;
