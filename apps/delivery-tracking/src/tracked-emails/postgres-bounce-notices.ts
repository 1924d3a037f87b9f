import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { type BounceNotice, BounceNotices, OldBounceNotices } from './ports.js';
import { DELETE_OLD_NOTICES, READ_OLD_NOTICES } from './tracking-transactions.sql.js';

/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;

/** Queries of the table `bounce_notices`. */
@Injectable()
export class PostgresBounceNotices extends BounceNotices {
  constructor(private readonly database: Database) {
    super();
  }

  override async findOlderThanVersion(
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
}

/** The retention of `bounce_notices`. */
@Injectable()
export class PostgresOldBounceNotices extends OldBounceNotices {
  constructor(private readonly database: Database) {
    super();
  }

  override async deleteOlderThan(before: Date): Promise<number> {
    let deleted = 0;
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { rowCount } = await this.database.pool.query(DELETE_OLD_NOTICES, [before, BATCH_SIZE]);
      found = rowCount ?? 0;
      deleted += found;
    }
    return deleted;
  }
}
