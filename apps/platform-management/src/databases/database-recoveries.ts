import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { type DatabaseRecovery, PrismaClient } from '../generated/prisma/client.js';
import { FINISH_RECOVERY } from './database-recoveries.sql.js';
import type { RecoveryRecord } from './ports.js';

/** The databases that are created with the data of another one. */
@Injectable()
export class DatabaseRecoveries {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /** Oldest first. */
  async unfinished(): Promise<readonly RecoveryRecord[]> {
    const orderBy = { createdAt: 'asc' } as const;
    return (await this.prisma.databaseRecovery.findMany({ where: { status: 'restoring' }, orderBy })).map(recoveryOf);
  }

  /** Those of these databases, by id. */
  async of(databaseIds: readonly string[]): Promise<ReadonlyMap<string, RecoveryRecord>> {
    if (databaseIds.length === 0) return new Map();
    const rows = await this.prisma.databaseRecovery.findMany({ where: { databaseId: { in: [...databaseIds] } } });
    return new Map(rows.map(row => [row.databaseId, recoveryOf(row)]));
  }

  /** The recovery is completed without `error`, and has failed with it. */
  async finish(databaseId: string, error?: string): Promise<void> {
    const status = error === undefined ? 'completed' : 'failed';
    await this.database.pool.query(FINISH_RECOVERY, [databaseId, status, error ?? null]);
  }
}

const recoveryOf = (row: DatabaseRecovery): RecoveryRecord => ({
  ...row,
  status: row.status as RecoveryRecord['status'],
});
