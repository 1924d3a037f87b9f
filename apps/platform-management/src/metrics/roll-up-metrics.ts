import { Injectable } from '@nestjs/common';
import { monthsBefore } from '../moderation/bandwidth.js';
import { MINUTES_KEPT_SECONDS, SAMPLES_KEPT_SECONDS } from './metrics.js';
import { BandwidthLedger, MetricStore } from './ports.js';

const MONTHS_KEPT = 13;

/** On a timer of the leader: samples become minutes, and what is too old to be asked for is forgotten. */
@Injectable()
export class RollUpMetrics {
  constructor(
    private readonly metrics: MetricStore,
    private readonly bandwidth: BandwidthLedger,
  ) {}

  async run(now: Date): Promise<void> {
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
    await this.metrics.rollUp(now);
    // The oldest step of a history begins up to an hour before its period does.
    await this.metrics.purge(before(SAMPLES_KEPT_SECONDS), before(MINUTES_KEPT_SECONDS + 3600));
    await this.bandwidth.purge(monthsBefore(now, MONTHS_KEPT));
  }
}
