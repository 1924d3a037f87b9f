/** Finds a deletion event in the stream `$1` of a workspace or resource; `$2` are the event types. */
export const FIND_DELETION = 'SELECT 1 FROM event_store.events WHERE stream_id = $1 AND type = ANY ($2) LIMIT 1';
