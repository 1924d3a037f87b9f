import { Injectable } from '@nestjs/common';
import { Every } from '@postern/service-host';
import { WebhookRepository } from '../webhooks/webhook-repository.js';
import { DeliveryQueue } from './ports.js';

const DAYS = 3;

/** Disables endpoints whose attempts have all failed for three days, and holds deliveries of disabled endpoints. */
@Injectable()
export class DisableFailingWebhooks {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly webhooks: WebhookRepository,
  ) {}

  @Every(60_000, 'disable failing webhooks')
  async run(): Promise<void> {
    for (const { webhookId, since } of await this.queue.failingFor(DAYS))
      await this.webhooks.disable(webhookId, `every attempt has failed since ${since.toISOString()}`);
    await this.queue.holdForDisabled();
  }
}
