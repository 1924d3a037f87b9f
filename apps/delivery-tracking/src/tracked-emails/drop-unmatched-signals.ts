import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Database, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { SignalMetrics } from './ports.js';
import { RecordSignals } from './record-signals.js';
import { DELETE_OLD_WAITING_SIGNALS, FIND_KNOWN_WAITING } from './tracking-transactions.sql.js';

/** Rows per statement; a long write transaction would delay the event feed. */
const BATCH_SIZE = 1_000;
/** Emails per transaction. */
const KNOWN_AT_ONCE = 100;

/**
 * Decides signals that a replica of an earlier release stored although their email is known, and drops those whose email did not become
 * known in time, counted by kind.
 */
@Injectable()
export class DropUnmatchedSignals {
  readonly #retentionMs: number;

  constructor(
    private readonly database: Database,
    private readonly signals: RecordSignals,
    private readonly metrics: SignalMetrics,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'signalPatienceMs'>,
  ) {
    this.#retentionMs = config.signalPatienceMs;
  }

  @Every(({ sweepIntervalMs }: DeliveryTrackingConfig) => sweepIntervalMs, 'drop unmatched signals')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.#decideKnown();
    const before = new Date(now.getTime() - this.#retentionMs);
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const { pool } = this.database;
      const { rows } = await pool.query<{ kind: string }>(DELETE_OLD_WAITING_SIGNALS, [before, BATCH_SIZE]);
      for (const { kind } of rows) this.metrics.dropped(kind, 1);
      found = rows.length;
    }
  }

  async #decideKnown(): Promise<void> {
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_KNOWN_WAITING, [KNOWN_AT_ONCE]);
    await this.signals.decideWaiting(rows.map(({ id }) => id));
  }
}
