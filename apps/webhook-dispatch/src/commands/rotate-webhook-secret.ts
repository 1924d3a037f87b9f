import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, rotateWebhookSecret, switchWebhookSecret } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { webhook, webhookStream } from '../domain/webhook.js';
import { webhookReply } from '../domain/webhook-reply.js';
import { WebhookDirectory, WebhookSecrets } from '../ports.js';
import { knownWebhook } from './known-webhook.js';

/** Two steps, because a call carries exactly one signature: see the next secret, then switch when the receiver knows it. */
@Injectable()
export class RotateWebhookSecret {
  constructor(
    private readonly streams: Streams,
    private readonly webhooks: WebhookDirectory,
    private readonly secrets: WebhookSecrets,
  ) {}

  async rotate(request: RequestOf<typeof rotateWebhookSecret>): Promise<ReplyOf<typeof rotateWebhookSecret>> {
    await this.decide('rotate-secret', request);
    return this.secrets.rotate(request.webhook_id);
  }

  async switch(request: RequestOf<typeof switchWebhookSecret>): Promise<ReplyOf<typeof switchWebhookSecret>> {
    await this.decide('switch-secret', request);
    await this.secrets.switchToNext(request.webhook_id);
    return webhookReply(await knownWebhook(this.webhooks, request));
  }

  private async decide(kind: 'rotate-secret' | 'switch-secret', request: RequestOf<typeof rotateWebhookSecret>) {
    await this.streams.execute(webhook, webhookStream(request.webhook_id), {
      kind,
      serviceId: request.service_id,
      at: new Date().toISOString(),
    });
  }
}
