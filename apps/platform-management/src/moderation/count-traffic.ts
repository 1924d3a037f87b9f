import { Inject, Injectable } from '@nestjs/common';
import { BandwidthLedger, MetricsSettings, Suspensions } from '../metrics/ports.js';
import { Runtime } from '../ports/runtime.js';
import { beyondBandwidth, monthOf } from './bandwidth.js';

/**
 * On a timer of the leader: what went in and out of web services is counted by month, and a service beyond its bound
 * is suspended until the next month begins: once a month, so that an operator who lets it on is not overruled.
 */
@Injectable()
export class CountTraffic {
  constructor(
    @Inject(Runtime) private readonly runtime: Pick<Runtime, 'takeTraffic'>,
    private readonly bandwidth: BandwidthLedger,
    private readonly suspensions: Suspensions,
    private readonly settings: MetricsSettings,
  ) {}

  async run(now: Date): Promise<void> {
    const month = monthOf(now);
    await this.runtime.takeTraffic(traffic => this.bandwidth.add(month, traffic));
    for (const webServiceId of await this.bandwidth.suspendedBefore(month)) {
      await this.suspensions.lift(webServiceId, 'a new month has begun');
      await this.bandwidth.noteLifted(webServiceId, month);
    }
    const bound = this.settings.monthlyBandwidthBytes;
    if (bound === undefined) return;
    for (const webServiceId of await this.bandwidth.beyond(month, bound)) {
      await this.suspensions.suspend(webServiceId, beyondBandwidth(bound));
      await this.bandwidth.noteSuspended(webServiceId, month);
    }
  }
}
