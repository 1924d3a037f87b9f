import { listDatabaseBackups, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { listedBackup } from '../infrastructure/backups/backup-reply.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { Databases } from './databases.projection.js';
import { ownedDatabase } from './owned-database.js';

/** Lists the backups of a database, newest first. */
@Handles(listDatabaseBackups)
export class ListDatabaseBackups {
  constructor(
    private readonly directory: Databases,
    private readonly backups: DatabaseBackupRecords,
  ) {}

  async execute(request: RequestOf<typeof listDatabaseBackups>): Promise<ReplyOf<typeof listDatabaseBackups>> {
    const { database_id } = request;
    await ownedDatabase(this.directory, request);
    return (await this.backups.listOf(database_id)).map(backup => ({ database_id, ...listedBackup(backup) }));
  }
}
