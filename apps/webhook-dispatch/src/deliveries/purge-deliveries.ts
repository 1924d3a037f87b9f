import { Injectable } from '@nestjs/common';
import { DeliveryQueue, Retention } from './ports.js';

const DAY_MS = 24 * 3_600_000;

/** Deliveries that ended long ago go, with their attempts. Pending and held ones stay, however old they are. */
@Injectable()
export class ForgetOldDeliveries {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly retention: Retention,
  ) {}

  async run(): Promise<void> {
    await this.queue.purgeFinishedBefore(new Date(Date.now() - this.retention.days * DAY_MS));
  }
}
