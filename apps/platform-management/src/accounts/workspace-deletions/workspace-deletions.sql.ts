/** Finds the creator of the workspace with the stream `$1`. */
export const FIND_CREATOR = `
  SELECT data->>'created_by' AS creator FROM event_store.events
  WHERE stream_id = $1 AND type = 'platform-management.workspace-created.v1'`;

/**
 * Deletes the sessions in workspace `$1`, and the rows of its keys and databases. Invitations are ended; they count towards the daily
 * limits and are deleted a day later.
 */
export const DELETE_ROWS_OF_WORKSPACE = `
  WITH ended AS (DELETE FROM sessions WHERE workspace_id = $1),
  revoked AS (UPDATE invitations SET ended_at = now() WHERE workspace_id = $1 AND ended_at IS NULL),
  notified AS (DELETE FROM notification_targets WHERE workspace_id = $1),
  management AS (DELETE FROM management_keys WHERE workspace_id = $1),
  keys AS (SELECT id FROM platform_keys WHERE workspace_id = $1),
  uses AS (DELETE FROM platform_key_uses WHERE key_id IN (SELECT id FROM keys)),
  calls AS (DELETE FROM platform_call_counts WHERE key_id IN (SELECT id FROM keys))
  DELETE FROM database_creations WHERE workspace_id = $1`;
