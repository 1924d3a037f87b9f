import { flag, integer, text } from '@postern/service-host/config';

/** Settings of the operator for databases on this machine. */
export const localDatabasesSettings = {
  platformPostgresBin: text()
    .optional()
    .describe(
      'Folder with initdb and postgres, for PostgreSQL databases; if not set, the usual folders of the machine are searched.',
    ),
  platformValkeyBin: text()
    .optional()
    .describe(
      'Path of valkey-server or redis-server, or of its folder, for key-value stores; if not set, PATH is searched.',
    ),
  platformDatabaseRecoveryDays: integer()
    .min(1)
    .max(365)
    .default(7)
    .describe(
      'Days for which the changes of relational databases are kept for a recovery to a point in time. They also need a backup to begin with.',
    ),
  platformKnownHoles: flag()
    .default(false)
    .describe(
      'Creates databases although the installed PostgreSQL, Valkey or Redis has known security holes, which statements and scripts of tenants could use; existing databases run in any case.',
    ),
};
