import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { backup, databaseRestore } from './database-backups.js';
import { DISK_BACKUP, RESTORE } from './examples.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const diskBackup = backup.extend({ web_service_id: id.describe('The web service with the disk.') });
export type DiskBackup = z.output<typeof diskBackup>;

const refusals = { web_service_not_found: 404, disk_not_found: 404 } as const;
/** Why the runtime cannot back up or restore. */
const unavailable = { disk_backups_not_supported: 400, runtime_unavailable: 503 } as const;

export const createDiskBackup = request('create-disk-backup', {
  request: ofWebService,
  reply: diskBackup,
  refusals: { ...refusals, ...unavailable, backup_under_way: 409 },
  http: {
    operation: 'DiskBackups.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/disk/backups',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Back up the disk of a web service, which keeps running',
    description: 'The backup is complete when its status is `completed`.',
    examples: { reply: { ...DISK_BACKUP, scheduled: false, status: 'creating', size_bytes: null, finished_at: null } },
  },
});

/** Newest first. */
export const listDiskBackups = request('list-disk-backups', {
  request: ofWebService,
  reply: z.array(
    diskBackup.extend({
      last_restore: databaseRestore.nullable().describe('Its newest restore; null if there was none.'),
    }),
  ),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'DiskBackups.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/disk/backups',
    access: ['platform-key', 'session'],
    summary: 'List the backups of the disk of a web service, newest first, each with its last restore',
    description: 'A backup can be restored when its status is `completed`.',
    examples: { reply: [{ ...DISK_BACKUP, last_restore: null }] },
  },
});
export type DiskBackupWithRestore = z.output<typeof listDiskBackups.reply>[number];

export const restoreDiskBackup = request('restore-disk-backup', {
  request: ofWebService.extend({ backup_id: id.describe('Id of the backup.') }),
  reply: databaseRestore,
  refusals: {
    ...refusals,
    ...unavailable,
    backup_not_found: 404,
    backup_not_completed: 409,
    restore_under_way: 409,
  },
  http: {
    operation: 'DiskBackups.restore',
    method: 'POST',
    path: '/web-services/{web_service_id}/disk/backups/{backup_id}/restore',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Replace all files of the disk by those of a backup, all or nothing',
    description:
      'The web service runs until the files are ready. Then its instance ends, the files are switched in one step, and the instance starts again.',
    examples: { reply: RESTORE },
  },
});
