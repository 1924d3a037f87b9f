/** The URLs of the webhooks with the ids `$1`. */
export const URLS_OF_WEBHOOKS = 'SELECT id, url AS name FROM webhooks WHERE id = ANY($1::uuid[])';

/** The URLs at creation of webhooks that may have been deleted since: those in the first events of the streams `$1`. */
export const FIRST_URLS = `
  SELECT stream_id, data->>'url' AS name FROM event_store.events
  WHERE stream_id = ANY($1::text[]) AND version = 1 AND data->>'url' IS NOT NULL`;
