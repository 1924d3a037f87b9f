import { Module } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { BackupSettings } from './ports.js';
import type { backupsSettings } from './settings.js';

type Settings = ConfigOf<ConfigDefinition<typeof backupsSettings>>;

/** What backups of databases and of disks have in common. */
@Module({
  providers: [
    {
      provide: BackupSettings,
      inject: [CONFIG],
      useFactory: ({ platformDatabaseBackupHours, platformDatabaseBackupsKept }: Settings): BackupSettings => ({
        everyHours: platformDatabaseBackupHours,
        kept: platformDatabaseBackupsKept,
      }),
    },
  ],
  exports: [BackupSettings],
})
export class BackupsModule {}
