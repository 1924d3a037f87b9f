/** Looks for the deletion of a workspace or of a resource in its stream `$1`; `$2` are the types of such events. */
export const FIND_DELETION = 'SELECT 1 FROM event_store.events WHERE stream_id = $1 AND type = ANY ($2) LIMIT 1';
