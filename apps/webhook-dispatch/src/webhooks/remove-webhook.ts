import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, removeWebhook } from '@postern/contracts';
import { WebhookRepository } from '../deliveries/ports.js';

/** Ends an endpoint: nothing is sent to it any more, and its secret is forgotten. */
@Injectable()
export class RemoveWebhook {
  constructor(private readonly webhooks: WebhookRepository) {}

  async execute(request: RequestOf<typeof removeWebhook>): Promise<ReplyOf<typeof removeWebhook>> {
    await this.webhooks.remove(request);
    return {};
  }
}
