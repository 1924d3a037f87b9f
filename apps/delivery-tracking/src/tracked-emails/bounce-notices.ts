import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import type { BounceNotice } from './ports.js';
import { DELETE_OLD_NOTICES, READ_OLD_NOTICES } from './tracking-transactions.sql.js';

/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;

/** The stored input of the classification of bounces. */
@Injectable()
export class BounceNotices {
  constructor(private readonly database: Database) {}

  /** Returns notices that an earlier version of the rules classified, in the order of their ids. */
  async findOlderThanVersion(
    version: number,
    afterId: string,
    limit: number,
  ): Promise<readonly (BounceNotice & { readonly id: string })[]> {
    const { rows } = await this.database.pool.query<BounceNotice & { readonly id: string }>(READ_OLD_NOTICES, [
      version,
      afterId,
      limit,
    ]);
    return rows;
  }

  async deleteOlderThan(before: Date): Promise<void> {
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { rowCount } = await this.database.pool.query(DELETE_OLD_NOTICES, [before, BATCH_SIZE]);
      found = rowCount ?? 0;
    }
  }
}
