import { listDiskBackups, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { listedBackup } from '../../infrastructure/backups/backup-reply.js';
import { WebServices } from '../services/web-services.projection.js';
import { DiskBackupRecords } from './disk-backup-records.js';

/** Lists the backups of the disk of a web service, newest first. */
@Handles(listDiskBackups)
export class ListDiskBackups {
  constructor(
    private readonly webServices: WebServices,
    private readonly backups: DiskBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof listDiskBackups>): Promise<ReplyOf<typeof listDiskBackups>> {
    const { web_service_id } = request;
    await this.webServices.requireOwner(request, web_service_id);
    return (await this.backups.listOf(web_service_id)).map(backup => ({ web_service_id, ...listedBackup(backup) }));
  }
}
