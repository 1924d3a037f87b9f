import { integer } from '@postern/service-host/config';

/** Settings of backups, spread into the service's configuration. */
export const backupsSettings = {
  platformDatabaseBackupHours: integer()
    .min(0)
    .max(8_760)
    .default(24)
    .describe('Hours between scheduled backups of each database and disk; 0 disables them.'),
  platformDatabaseBackupsKept: integer()
    .min(1)
    .max(100)
    .default(7)
    .describe(
      'Number of scheduled backups, and of requested backups, that are kept of each database and disk; older ones are deleted.',
    ),
};
