import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { BackupRecords } from '../../infrastructure/backups/backup-records.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { FIND_DUE_DISKS } from './disk-backups.sql.js';

/** Backups and restores of the disks of web services. */
@Injectable()
export class DiskBackupRecords extends BackupRecords {
  constructor(database: Database, prisma: PrismaClient) {
    super(database, prisma, {
      kind: 'disk',
      streamOf: webServiceStream,
      isDeleted,
      notFound: webServiceNotFound,
      findDue: FIND_DUE_DISKS,
    });
  }
}
