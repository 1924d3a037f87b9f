import { type ReplyOf, type RequestOf, rotateWebhookSecret } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebhookRepository } from './webhook-repository.js';

/** Generates the next secret. A request has one signature, so the owner adds the secret to the receiver before switching. */
@Handles(rotateWebhookSecret)
export class RotateWebhookSecret {
  constructor(private readonly webhooks: WebhookRepository) {}

  execute(request: RequestOf<typeof rotateWebhookSecret>): Promise<ReplyOf<typeof rotateWebhookSecret>> {
    return this.webhooks.rotateSecret(request);
  }
}
