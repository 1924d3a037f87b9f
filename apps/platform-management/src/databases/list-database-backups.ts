import { listDatabaseBackups, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { databaseNotFound } from './database.js';
import { backupReply, restoreReply } from './database-reply.js';
import { DatabaseBackupRecords, DatabaseDirectory } from './ports.js';

/** Lists the backups of a database, newest first. */
@Handles(listDatabaseBackups)
export class ListDatabaseBackups {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly backups: DatabaseBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof listDatabaseBackups>): Promise<ReplyOf<typeof listDatabaseBackups>> {
    const { workspace_id, database_id } = request;
    if ((await this.directory.find(database_id))?.workspaceId !== workspace_id) throw databaseNotFound();
    return (await this.backups.listOf(database_id)).map(({ lastRestore, ...backup }) => ({
      ...backupReply(backup),
      last_restore: lastRestore ? restoreReply(lastRestore) : null,
    }));
  }
}
