/** Finds signals that contain any of the traces `$1`, without case. Runs in the transaction of the erasure. */
export const FIND_WAITING_SIGNALS = `
  SELECT id::text AS id, told AS received FROM waiting_signals
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(told::text COLLATE "C"), trace) > 0)`;

/** Finds notices that contain any of the traces `$1`, without case. Runs in the transaction of the erasure. */
export const FIND_BOUNCE_NOTICES = `
  SELECT id::text AS id, evidence FROM bounce_notices
  WHERE EXISTS (SELECT FROM unnest($1::text[]) AS trace WHERE strpos(lower(evidence::text COLLATE "C"), trace) > 0)`;

/** Deletes the notices `$1` in the transaction of the erasure. */
export const FORGET_BOUNCE_NOTICES = 'DELETE FROM bounce_notices WHERE id = ANY ($1::bigint[])';

/** Deletes the signals `$1` in the transaction of the erasure. */
export const FORGET_WAITING_SIGNALS = 'DELETE FROM waiting_signals WHERE id = ANY ($1::bigint[])';
