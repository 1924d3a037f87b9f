import { createDatabaseBackup, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { databaseNotFound } from './database.js';
import { backupReply } from './database-reply.js';
import { DatabaseBackupRecords, DatabaseDirectory } from './ports.js';
import { databaseNotRunning } from './refusals.js';

/** Requests a backup of a database; the reconciler creates it. */
@Handles(createDatabaseBackup)
export class CreateDatabaseBackup {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly backups: DatabaseBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof createDatabaseBackup>): Promise<ReplyOf<typeof createDatabaseBackup>> {
    const { workspace_id, database_id } = request;
    const row = await this.directory.find(database_id);
    if (row?.workspaceId !== workspace_id) throw databaseNotFound();
    if (row.status !== 'running') throw databaseNotRunning();
    return backupReply(await this.backups.request(database_id, uuidv7()));
  }
}
