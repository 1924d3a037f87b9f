import { STORED_COLUMNS } from './stored-event.js';

export const READ_STREAM = `SELECT ${STORED_COLUMNS} FROM event_store.events WHERE stream_id = $1 ORDER BY version`;
