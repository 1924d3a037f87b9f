import { Injectable } from '@nestjs/common';
import { DeliveryQueue, WebhookRepository } from './ports.js';

const DAYS = 3;

/**
 * An endpoint with nothing but failures for three days is disabled, visibly; its events are held. So are those that were
 * queued for any endpoint in the moment in which it was disabled.
 */
@Injectable()
export class DisableFailingWebhooks {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly webhooks: WebhookRepository,
  ) {}

  async run(): Promise<void> {
    for (const { webhookId, since } of await this.queue.failingFor(DAYS))
      await this.webhooks.disable(webhookId, `nothing but failures since ${since.toISOString()}`);
    await this.queue.holdForDisabled();
  }
}
