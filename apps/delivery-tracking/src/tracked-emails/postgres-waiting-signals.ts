import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { WaitingSignals } from './ports.js';
import { DELETE_OLD_WAITING_SIGNALS } from './tracking-transactions.sql.js';

/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;

/** The table `waiting_signals`. */
@Injectable()
export class PostgresWaitingSignals extends WaitingSignals {
  constructor(private readonly database: Database) {
    super();
  }

  override async deleteOlderThan(before: Date): Promise<ReadonlyMap<string, number>> {
    const deleted = new Map<string, number>();
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { rows } = await this.database.pool.query<{ kind: string }>(DELETE_OLD_WAITING_SIGNALS, [
        before,
        BATCH_SIZE,
      ]);
      for (const { kind } of rows) deleted.set(kind, (deleted.get(kind) ?? 0) + 1);
      found = rows.length;
    }
    return deleted;
  }
}
