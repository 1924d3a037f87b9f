import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { SignalMetrics } from './ports.js';
import { DELETE_OLD_WAITING_SIGNALS } from './tracking-transactions.sql.js';

/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;

/** Drops signals whose email did not become known in time, counted by kind. */
@Injectable()
export class DropUnmatchedSignals {
  readonly #retentionMs: number;

  constructor(
    private readonly database: Database,
    private readonly metrics: SignalMetrics,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'signalPatienceMs'>,
  ) {
    this.#retentionMs = config.signalPatienceMs;
  }

  @Every(({ sweepIntervalMs }: DeliveryTrackingConfig) => sweepIntervalMs, 'drop unmatched signals')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const before = new Date(now.getTime() - this.#retentionMs);
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { pool } = this.database;
      const { rows } = await pool.query<{ kind: string }>(DELETE_OLD_WAITING_SIGNALS, [before, BATCH_SIZE]);
      for (const { kind } of rows) this.metrics.dropped(kind, 1);
      found = rows.length;
    }
  }
}
