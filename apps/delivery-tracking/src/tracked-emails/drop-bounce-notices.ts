import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { DELETE_OLD_NOTICES } from './tracking-transactions.sql.js';

const DAY_MS = 86_400_000;
/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;

/** Deletes the texts of notices when their retention is over. The bounces themselves are kept. */
@Injectable()
export class DropBounceNotices {
  readonly #retentionMs: number;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'bounceNoticeRetentionDays'>,
  ) {
    this.#retentionMs = config.bounceNoticeRetentionDays * DAY_MS;
  }

  @Every(3_600_000, 'drop old bounce notices')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const before = new Date(now.getTime() - this.#retentionMs);
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { rowCount } = await this.database.pool.query(DELETE_OLD_NOTICES, [before, BATCH_SIZE]);
      found = rowCount ?? 0;
    }
  }
}
