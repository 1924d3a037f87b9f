import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { OverdueEmails } from './ports.js';
import { RecordSignals } from './record-signals.js';
import { signalMetadata } from './signal-metadata.js';

const BATCH_SIZE = 200;

/** Ends the wait for a delivery notification, so that every copy reaches a final state. */
@Injectable()
export class MarkMissedNotifications {
  readonly #timeoutMs: number;

  constructor(
    private readonly overdue: OverdueEmails,
    private readonly signals: RecordSignals,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'notificationPatienceMs'>,
  ) {
    this.#timeoutMs = config.notificationPatienceMs;
  }

  /** Returns how many emails were marked. */
  @Every(({ sweepIntervalMs }: DeliveryTrackingConfig) => sweepIntervalMs, 'mark missed notifications')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<number> {
    const since = new Date(now.getTime() - this.#timeoutMs);
    const emailIds = await this.overdue.find(since, BATCH_SIZE);
    const metadata = signalMetadata('delivery-tracking');
    const at = now.toISOString();
    await this.signals.execute(
      emailIds.map(emailId => ({ emailId, signal: { kind: 'deadline_passed', at }, metadata })),
    );
    return emailIds.length;
  }
}
