import { Inject, Injectable } from '@nestjs/common';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { firstIdAt } from '../infrastructure/postgres/uuid-time.js';
import { Retention } from './ports.js';
import {
  PURGE_BODIES,
  PURGE_CODE_COUNTS,
  PURGE_CODE_MAILS,
  PURGE_KEYS,
  PURGE_PLAIN_BODIES,
  PURGE_USAGE,
} from './retention.sql.js';

const STEP = 1_000;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Deletes in small steps, each its own transaction, because an open transaction delays the feed. */
@Injectable()
export class PostgresRetention extends Retention {
  constructor(@Inject(Database) private readonly database: Pick<Database, 'pool'>) {
    super();
  }

  /** A message is final when it has a record and no copy waits for a retry. */
  async purgeBodies(before: Date): Promise<void> {
    for (const statement of [PURGE_BODIES, PURGE_PLAIN_BODIES]) await this.#purgeBodies(statement, before);
  }

  async #purgeBodies(statement: string, before: Date): Promise<void> {
    let after = NIL;
    for (;;) {
      const { rows } = await this.database.pool.query<{ examined: number; last: string | null }>(statement, [
        after,
        firstIdAt(before),
        STEP,
      ]);
      const { examined = 0, last = null } = rows[0] ?? {};
      if (last === null || examined < STEP) return;
      after = last;
    }
  }

  async purgeExpired(now: Date): Promise<void> {
    for (const statement of [PURGE_KEYS, PURGE_USAGE, PURGE_CODE_COUNTS, PURGE_CODE_MAILS])
      await inSteps(this.database.pool, statement, [now]);
  }
}
