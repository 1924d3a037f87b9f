import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { BACKUP, RESTORE } from './examples.js';

const request = requestsOf('platform-management');

const ofDatabase = z.object({ workspace_id: id, database_id: id.describe('Id of the database.') });

export const backupStatus = z.enum(['creating', 'completed', 'failed']);
export const restoreStatus = z.enum(['restoring', 'completed', 'failed']);

/** A restore of a database or of a disk. */
export const databaseRestore = z.object({
  id: id.describe('Id of the restore.'),
  backup_id: id.describe('Id of the backup.'),
  status: restoreStatus.describe('`restoring` is not final.'),
  error: z.string().nullable().describe('Why it failed; the data are as before then.'),
  created_at: timestamp.describe('When it was requested.'),
  finished_at: timestamp.nullable().describe('When it ended; null before.'),
});
export type DatabaseRestore = z.output<typeof databaseRestore>;

/** The fields that all backups have. */
export const backup = z.object({
  id: id.describe('Id of the backup.'),
  scheduled: z.boolean().describe('False if a user requested it.'),
  status: backupStatus.describe('`creating` is not final.'),
  size_bytes: z.int().nullable().describe('Compressed size; null until it is completed.'),
  error: z.string().nullable().describe('Why it failed.'),
  created_at: timestamp.describe('When it was requested.'),
  finished_at: timestamp.nullable().describe('When it ended; null before.'),
});
export const databaseBackup = backup.extend({ database_id: id.describe('Id of the database.') });
export type DatabaseBackup = z.output<typeof databaseBackup>;

export const createDatabaseBackup = request('create-database-backup', {
  request: ofDatabase,
  reply: databaseBackup,
  refusals: { database_not_found: 404, database_not_running: 409, backup_under_way: 409 },
  http: {
    operation: 'DatabaseBackups.create',
    method: 'POST',
    path: '/databases/{database_id}/backups',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Back up a database; it stays available',
    description: 'The backup is complete when its status is `completed`.',
    examples: { reply: BACKUP },
  },
});

/** Newest first. */
export const listDatabaseBackups = request('list-database-backups', {
  request: ofDatabase,
  reply: z.array(
    databaseBackup.extend({
      last_restore: databaseRestore.nullable().describe('Its newest restore; null if there was none.'),
    }),
  ),
  refusals: { database_not_found: 404 },
  http: {
    operation: 'DatabaseBackups.list',
    method: 'GET',
    path: '/databases/{database_id}/backups',
    access: ['platform-key', 'session'],
    summary: 'List the backups of a database, newest first, each with its last restore',
    description: 'A platform key needs the operation `databases:write` for it.',
    examples: { reply: [{ ...BACKUP, last_restore: null }] },
  },
});
export type DatabaseBackupWithRestore = z.output<typeof listDatabaseBackups.reply>[number];

export const restoreDatabaseBackup = request('restore-database-backup', {
  request: ofDatabase.extend({ backup_id: id.describe('Id of the backup.') }),
  reply: databaseRestore,
  refusals: {
    database_not_found: 404,
    backup_not_found: 404,
    backup_not_completed: 409,
    database_not_running: 409,
    restore_under_way: 409,
  },
  http: {
    operation: 'DatabaseBackups.restore',
    method: 'POST',
    path: '/databases/{database_id}/backups/{backup_id}/restore',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Restore a database from a backup, all or nothing',
    description:
      'The database serves its current data until the data of the backup is ready; then it closes all connections and switches. Name, address and password stay the same.',
    examples: { reply: RESTORE },
  },
});
