import { Inject, Injectable } from '@nestjs/common';
import { Runtime, RuntimeUnavailable } from '@postern/runtime';
import { Every, type TaskRun } from '@postern/service-host';
import { MetricStore } from './metric-store.js';
import { sampleTime } from './metrics.js';

/** More often than the length of a sample, so that the first sample exists soon after a web service starts. */
const MEASURE_EVERY_MS = 5_000;

/** Measures the usage of all web services; measurements of the same 15 seconds become one sample. */
@Injectable()
export class SampleMetrics {
  constructor(
    @Inject(Runtime) private readonly runtime: Pick<Runtime, 'usage'>,
    private readonly metrics: MetricStore,
  ) {}

  @Every(MEASURE_EVERY_MS, 'sample metrics', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const usages = await this.runtime.usage().catch(unlessUnavailable);
    if (!usages) return;
    await this.metrics.record(
      sampleTime(now),
      usages.filter(({ instances }) => instances > 0),
    );
  }
}

/** Without a runtime nothing is measured; sampling resumes when the runtime is available again. */
const unlessUnavailable = (error: unknown): undefined => {
  if (!(error instanceof RuntimeUnavailable)) throw error;
};
