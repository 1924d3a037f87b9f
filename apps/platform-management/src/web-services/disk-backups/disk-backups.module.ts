import { Module } from '@nestjs/common';
import { BackupsModule } from '../../infrastructure/backups/backups.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { CreateDiskBackup } from './create-disk-backup.js';
import { DiskBackupAccess } from './disk-backup-access.js';
import { DiskBackupReconciler } from './disk-backup-reconciler.js';
import { DiskBackupRecords } from './disk-backup-records.js';
import { ListDiskBackups } from './list-disk-backups.js';
import { RestoreDiskBackup } from './restore-disk-backup.js';

/** Backups of the disks of web services. */
@Module({
  imports: [prisma, BackupsModule, RuntimeModule, WebServicesModule],
  providers: [
    CreateDiskBackup,
    ListDiskBackups,
    RestoreDiskBackup,
    DiskBackupAccess,
    DiskBackupReconciler,
    DiskBackupRecords,
  ],
})
export class DiskBackupsModule {}
