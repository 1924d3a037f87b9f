import { createDiskBackup, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { backupReply } from '../../infrastructure/backups/backup-reply.js';
import { DiskBackupAccess } from './disk-backup-access.js';
import { DiskBackupRecords } from './disk-backup-records.js';

/** Requests a backup of the disk of a web service; the reconciler creates it. */
@Handles(createDiskBackup)
export class CreateDiskBackup {
  constructor(
    private readonly disks: DiskBackupAccess,
    private readonly backups: DiskBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof createDiskBackup>): Promise<ReplyOf<typeof createDiskBackup>> {
    const { web_service_id } = request;
    await this.disks.diskOf(request, web_service_id);
    return { web_service_id, ...backupReply(await this.backups.request(web_service_id, uuidv7())) };
  }
}
