export const STREAM_EVENTS = 'SELECT type, data FROM event_store.events WHERE stream_id = $1 ORDER BY version';
