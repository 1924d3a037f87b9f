import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, updateWebhook } from '@postern/contracts';
import { webhookReply } from '../deliveries/delivery-reply.js';
import { EndpointAddressCheck, WebhookDirectory, WebhookRepository } from '../deliveries/ports.js';
import { knownWebhook } from './known-webhook.js';

/** Changes URL or kinds, disables or enables. What a disabled endpoint misses is held until it is replayed. */
@Injectable()
export class UpdateWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly directory: WebhookDirectory,
    private readonly addresses: EndpointAddressCheck,
  ) {}

  async execute(request: RequestOf<typeof updateWebhook>): Promise<ReplyOf<typeof updateWebhook>> {
    const { url, events, enabled } = request.changes;
    if (url !== undefined) await this.addresses.check(url);
    await this.webhooks.change(request, { url, enabled, events: events && [...new Set(events)] });
    return webhookReply(await knownWebhook(this.directory, request));
  }
}
