import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Every, type TaskRun } from '@postern/service-host';
import type { WebhookDispatchConfig } from '../config.js';
import { DeliveryQueue } from './ports.js';

const DAY_MS = 24 * 3_600_000;

/** Deletes finished deliveries after the retention time. Pending and held deliveries are kept. */
@Injectable()
export class PurgeDeliveries {
  constructor(
    private readonly queue: DeliveryQueue,
    @Inject(CONFIG) private readonly config: Pick<WebhookDispatchConfig, 'deliveryRetentionDays'>,
  ) {}

  @Every(3_600_000, 'purge deliveries')
  async run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    const { deliveryRetentionDays } = this.config;
    await this.queue.purgeFinishedBefore(new Date(now.getTime() - deliveryRetentionDays * DAY_MS));
  }
}
