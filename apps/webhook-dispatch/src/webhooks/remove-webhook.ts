import { type ReplyOf, type RequestOf, removeWebhook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebhookRepository } from './webhook-repository.js';

/** Removes a webhook with its secret; nothing more is sent to it. */
@Handles(removeWebhook)
export class RemoveWebhook {
  constructor(private readonly webhooks: WebhookRepository) {}

  async execute(request: RequestOf<typeof removeWebhook>): Promise<ReplyOf<typeof removeWebhook>> {
    await this.webhooks.remove(request);
    return {};
  }
}
