import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { MINUTES_KEPT_SECONDS, SAMPLES_KEPT_SECONDS } from './metrics.js';
import { MetricStore } from './ports.js';

/** Averages samples per minute and deletes data past its retention. */
@Injectable()
export class RollUpMetrics {
  constructor(private readonly metrics: MetricStore) {}

  @Every(60_000, 'roll up metrics', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
    await this.metrics.rollUp(now);
    // The oldest step of a history starts up to an hour before its period.
    await this.metrics.deleteBefore(before(SAMPLES_KEPT_SECONDS), before(MINUTES_KEPT_SECONDS + 3600));
  }
}
