import type { ProjectionTables } from '@postern/event-sourcing/postgres';

export const INSERT_CREDENTIALS =
  'INSERT INTO database_credentials (database_id, username, sealed_password) VALUES ($1, $2, $3)';

export const INSERT_CREATION = 'INSERT INTO database_creations (database_id, workspace_id) VALUES ($1, $2)';

/** Only creations of the last 24 hours count towards the quota. */
export const DELETE_OLD_CREATIONS =
  "DELETE FROM database_creations WHERE workspace_id = $1 AND created_at <= now() - interval '24 hours'";

export const DELETE_CREDENTIALS = 'DELETE FROM database_credentials WHERE database_id = $1';

export const INSERT_DATABASE = ({ table }: ProjectionTables) => `
  INSERT INTO ${table('databases')} (id, workspace_id, name, kind, plan, cpu_millicores, memory_bytes, storage_bytes,
    connections, host, port, status, created_at, version)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'creating', $12, $13)`;

export const UPDATE_DATABASE_STATUS = ({ table }: ProjectionTables) =>
  `UPDATE ${table('databases')} SET status = $2, status_reason = $3 WHERE id = $1`;

export const UPDATE_READ_ONLY_REASON = ({ table }: ProjectionTables) =>
  `UPDATE ${table('databases')} SET read_only_reason = $2 WHERE id = $1`;

export const UPDATE_EXTERNAL_ACCESS = ({ table }: ProjectionTables) =>
  `UPDATE ${table('databases')} SET external_access = $2, allowed_cidrs = $3 WHERE id = $1`;

export const DELETE_DATABASE = ({ table }: ProjectionTables) => `DELETE FROM ${table('databases')} WHERE id = $1`;

/** Counts as a rotation, so that attached web services are restarted with the new URL. */
export const MOVE_DATABASE = `
  UPDATE database_credentials SET host = $2, rotation = rotation + 1
  WHERE database_id = $1 AND host IS DISTINCT FROM $2`;

export const ROTATE_CREDENTIALS = `
  UPDATE database_credentials SET sealed_password = $2, rotation = rotation + 1
  WHERE database_id = $1
  RETURNING username, rotation`;
