import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { Database, Tasks } from '@postern/service-host';
import { RollUpMetrics } from './roll-up-metrics.js';
import { SampleMetrics } from './sample-metrics.js';

/** More often than the length of a sample, so that the first sample exists soon after a web service starts. */
const MEASURE_EVERY_MS = 5_000;
const ROLL_UP_EVERY_MS = 60_000;

/** Samples and rolls up metrics on timers, each in one replica at a time. */
@Injectable()
export class MetricTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly sampling: SampleMetrics,
    private readonly rollUp: RollUpMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.#lead(MEASURE_EVERY_MS, 'sample metrics', () => this.sampling.run(new Date()));
    this.#lead(ROLL_UP_EVERY_MS, 'roll up metrics', () => this.rollUp.run(new Date()));
  }

  #lead(everyMs: number, name: string, run: () => Promise<void>): void {
    this.tasks.every(everyMs, name, signal => withLeadership(this.database.pool, name, signal, run));
  }
}
