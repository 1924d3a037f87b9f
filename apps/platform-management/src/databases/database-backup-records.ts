import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { BackupRecords } from '../infrastructure/backups/backup-records.js';
import { isDeleted } from '../infrastructure/postgres/deleted-streams.js';
import { databaseNotFound, databaseStream } from './database.js';
import { FIND_DUE_DATABASES } from './database-backups.sql.js';

/** Backups and restores of databases. */
@Injectable()
export class DatabaseBackupRecords extends BackupRecords {
  constructor(database: Database, prisma: PrismaClient) {
    super(database, prisma, {
      kind: 'database',
      streamOf: databaseStream,
      isDeleted,
      notFound: databaseNotFound,
      findDue: FIND_DUE_DATABASES,
    });
  }
}
