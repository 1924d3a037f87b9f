import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, rotateWebhookSecret, switchWebhookSecret } from '@postern/contracts';
import { webhookReply } from '../deliveries/delivery-reply.js';
import { WebhookDirectory, WebhookRepository } from '../deliveries/ports.js';
import { knownWebhook } from './known-webhook.js';

/** Two steps, because a call carries exactly one signature: see the next secret, then switch when the receiver knows it. */
@Injectable()
export class RotateWebhookSecret {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly directory: WebhookDirectory,
  ) {}

  rotate(request: RequestOf<typeof rotateWebhookSecret>): Promise<ReplyOf<typeof rotateWebhookSecret>> {
    return this.webhooks.rotateSecret(request);
  }

  async switch(request: RequestOf<typeof switchWebhookSecret>): Promise<ReplyOf<typeof switchWebhookSecret>> {
    await this.webhooks.switchSecret(request);
    return webhookReply(await knownWebhook(this.directory, request));
  }
}
