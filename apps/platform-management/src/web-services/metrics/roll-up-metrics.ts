import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { MetricStore } from './metric-store.js';

/** Averages samples per minute. */
@Injectable()
export class RollUpMetrics {
  constructor(private readonly metrics: MetricStore) {}

  @Every(60_000, 'roll up metrics', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    await this.metrics.rollUp(now);
  }
}
