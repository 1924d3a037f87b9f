import { createDatabaseBackup, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { backupReply } from '../infrastructure/backups/backup-reply.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';
import { databaseNotRunning } from './refusals.js';

/** Requests a backup of a database; the reconciler creates it. */
@Handles(createDatabaseBackup)
export class CreateDatabaseBackup {
  constructor(
    private readonly directory: Databases,
    private readonly backups: DatabaseBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof createDatabaseBackup>): Promise<ReplyOf<typeof createDatabaseBackup>> {
    const { database_id } = request;
    const { status } = await ownedDatabase(this.directory, request);
    if (status !== 'running') throw databaseNotRunning();
    return { database_id, ...backupReply(await this.backups.request(database_id, uuidv7())) };
  }
}
