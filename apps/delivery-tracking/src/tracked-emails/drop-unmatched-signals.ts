import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { SignalMetrics, WaitingSignals } from './ports.js';

/** Drops signals whose email did not become known in time, and counts them by kind. */
@Injectable()
export class DropUnmatchedSignals {
  readonly #retentionMs: number;

  constructor(
    private readonly waiting: WaitingSignals,
    private readonly metrics: SignalMetrics,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'signalPatienceMs'>,
  ) {
    this.#retentionMs = config.signalPatienceMs;
  }

  @Every(({ sweepIntervalMs }: DeliveryTrackingConfig) => sweepIntervalMs, 'drop unmatched signals')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const dropped = await this.waiting.deleteOlderThan(new Date(now.getTime() - this.#retentionMs));
    for (const [kind, count] of dropped) this.metrics.dropped(kind, count);
  }
}
