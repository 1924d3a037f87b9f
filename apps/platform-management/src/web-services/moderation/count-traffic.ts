import { Inject, Injectable } from '@nestjs/common';
import { Runtime, RuntimeUnavailable } from '@postern/runtime';
import { Every, type TaskRun } from '@postern/service-host';
import { bandwidthExceeded, monthOf } from './bandwidth.js';
import { BandwidthRepository } from './bandwidth-repository.js';
import { ModerationSettings, Suspensions } from './ports.js';

/**
 * Adds up the traffic of web services by month and suspends those above the limit until the next month.
 * Suspends a web service once a month, so that an operator can resume it.
 */
@Injectable()
export class CountTraffic {
  constructor(
    @Inject(Runtime) private readonly runtime: Pick<Runtime, 'takeTraffic'>,
    private readonly bandwidth: BandwidthRepository,
    private readonly suspensions: Suspensions,
    private readonly settings: ModerationSettings,
  ) {}

  @Every(15_000, 'count traffic', { onOneReplica: true })
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const month = monthOf(now);
    await this.runtime
      .takeTraffic(traffic => this.bandwidth.add(month, traffic))
      .catch(error => {
        // Traffic that is not confirmed is counted when the runtime is available again.
        if (!(error instanceof RuntimeUnavailable)) throw error;
      });
    for (const webServiceId of await this.bandwidth.suspendedBefore(month)) {
      await this.suspensions.end(webServiceId, 'a new month has begun');
      await this.bandwidth.markResumed(webServiceId, month);
    }
    const limit = this.settings.monthlyBandwidthBytes;
    if (limit === undefined) return;
    for (const webServiceId of await this.bandwidth.exceeding(month, limit)) {
      await this.suspensions.suspend(webServiceId, bandwidthExceeded(limit));
      await this.bandwidth.markSuspended(webServiceId, month);
    }
  }
}
