import { type ReplyOf, type RequestOf, restoreDatabaseBackup } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { restoreReply } from '../infrastructure/backups/backup-reply.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import { databaseNotRunning } from './refusals.js';

/** Requests a restore, which replaces all data of the database; the reconciler executes it. */
@Handles(restoreDatabaseBackup)
export class RestoreDatabaseBackup {
  constructor(
    private readonly directory: Databases,
    private readonly backups: DatabaseBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof restoreDatabaseBackup>): Promise<ReplyOf<typeof restoreDatabaseBackup>> {
    const { database_id, backup_id } = request;
    const { status } = await ownedDatabase(this.directory, request);
    // A database that cannot start is also restored.
    if (status !== 'running' && status !== 'unavailable') throw databaseNotRunning();
    return restoreReply(await this.backups.requestRestore(database_id, backup_id, uuidv7()));
  }
}
