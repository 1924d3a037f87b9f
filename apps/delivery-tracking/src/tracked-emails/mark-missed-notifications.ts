import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { DeliveryTrackingConfig } from '../config.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { RecordSignals } from './record-signals.js';
import { signalMetadata } from './signal-metadata.js';

const BATCH_SIZE = 200;

/** Ends the wait for a delivery notification, so that every copy reaches a final state. */
@Injectable()
export class MarkMissedNotifications {
  readonly #timeoutMs: number;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly signals: RecordSignals,
    @Inject(CONFIG) config: Pick<DeliveryTrackingConfig, 'notificationPatienceMs'>,
  ) {
    this.#timeoutMs = config.notificationPatienceMs;
  }

  /** Returns how many emails were marked. */
  @Every(({ sweepIntervalMs }: DeliveryTrackingConfig) => sweepIntervalMs, 'mark missed notifications')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<number> {
    const since = new Date(now.getTime() - this.#timeoutMs);
    const overdue = await this.prisma.trackedEmail.findMany({
      where: { waitingSince: { lt: since } },
      orderBy: { waitingSince: 'asc' },
      take: BATCH_SIZE,
      select: { id: true },
    });
    const metadata = signalMetadata('delivery-tracking');
    const at = now.toISOString();
    await this.signals.execute(
      overdue.map(({ id }) => ({ emailId: id, signal: { kind: 'deadline_passed', at }, metadata })),
    );
    return overdue.length;
  }
}
