import { flag, text } from '@postern/service-host/config';

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
  platformKnownHoles: flag()
    .default(false)
    .describe(
      'Creates databases although the installed PostgreSQL, Valkey or Redis has known security holes, which statements and scripts of tenants could use; existing databases run in any case.',
    ),
};
