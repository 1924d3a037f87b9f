import { type ReplyOf, type RequestOf, restoreDiskBackup } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { restoreReply } from '../../infrastructure/backups/backup-reply.js';
import { DiskBackupAccess } from './disk-backup-access.js';
import { DiskBackupRecords } from './disk-backup-records.js';

/** Requests a restore, which replaces all files of the disk; the reconciler executes it. */
@Handles(restoreDiskBackup)
export class RestoreDiskBackup {
  constructor(
    private readonly disks: DiskBackupAccess,
    private readonly backups: DiskBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof restoreDiskBackup>): Promise<ReplyOf<typeof restoreDiskBackup>> {
    const { web_service_id, backup_id } = request;
    await this.disks.diskOf(request, web_service_id);
    return restoreReply(await this.backups.requestRestore(web_service_id, backup_id, uuidv7()));
  }
}
