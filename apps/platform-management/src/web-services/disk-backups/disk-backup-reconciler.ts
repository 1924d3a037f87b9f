import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { Runtime, type StoredBackup } from '@postern/runtime';
import { ChangeNotices, Every, type TaskRun } from '@postern/service-host';
import { BackupWork } from '../../infrastructure/backups/backup-work.js';
import { BackupSettings, type RestoreRecord } from '../../infrastructure/backups/ports.js';
import { WebServices } from '../services/web-services.projection.js';
import { DiskBackupAccess } from './disk-backup-access.js';
import { DiskBackupRecords } from './disk-backup-records.js';

/** Backs up and restores the disks of web services. */
@Injectable()
export class DiskBackupReconciler extends BackupWork {
  protected readonly notStarted = 'it was not started within 2 hours of the request';

  constructor(
    records: DiskBackupRecords,
    private readonly webServices: WebServices,
    private readonly disks: DiskBackupAccess,
    private readonly runtime: Runtime,
    settings: BackupSettings,
    changes: ChangeNotices,
  ) {
    super(records, settings, changes, 'web-services');
  }

  @Every(2_000, 'reconcile backups of disks', { onOneReplica: true })
  run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    return this.lead(signal);
  }

  protected override maySchedule(): Promise<boolean> {
    return this.disks.isSupported();
  }

  protected backUp(webServiceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    return this.runtime.backUpDisk(webServiceId, backupId, signal);
  }

  protected retain(webServiceId: string, backupIds: ReadonlySet<string>): Promise<void> {
    return this.runtime.retainDiskBackups(webServiceId, backupIds);
  }

  protected async prepareRestore({ id, resourceId: webServiceId, backupId }: RestoreRecord, digest: string) {
    const found = await this.webServices.require(webServiceId).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'web_service_not_found') return undefined;
      throw error;
    });
    if (!found) return undefined;
    if (!found.disk) return 'the web service has no disk any more';
    const restore = { webServiceId, sizeMib: found.disk.size_mib, restoreId: id, backupId, digest };
    return (signal: AbortSignal) => this.runtime.restoreDisk(restore, signal);
  }
}
