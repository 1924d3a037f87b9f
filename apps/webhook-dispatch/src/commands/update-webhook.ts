import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, updateWebhook } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { webhook, webhookStream } from '../domain/webhook.js';
import { webhookReply } from '../domain/webhook-reply.js';
import { DeliveryQueue, EndpointAddressCheck, WebhookDirectory } from '../ports.js';
import { knownWebhook } from './known-webhook.js';

/** Changes URL or kinds, disables or enables. What a disabled endpoint misses is held until it is replayed. */
@Injectable()
export class UpdateWebhook {
  constructor(
    private readonly streams: Streams,
    private readonly webhooks: WebhookDirectory,
    private readonly addresses: EndpointAddressCheck,
    private readonly queue: DeliveryQueue,
  ) {}

  async execute(request: RequestOf<typeof updateWebhook>): Promise<ReplyOf<typeof updateWebhook>> {
    const { service_id, webhook_id, changes } = request;
    if (changes.url !== undefined) await this.addresses.check(changes.url);
    const events = await this.streams.execute(webhook, webhookStream(webhook_id), {
      kind: 'change',
      serviceId: service_id,
      url: changes.url,
      events: changes.events && [...new Set(changes.events)],
      enabled: changes.enabled,
      at: new Date().toISOString(),
    });
    for (const { type } of events) {
      if (type === 'webhook-dispatch.webhook-disabled.v1') await this.queue.hold(webhook_id);
      if (type === 'webhook-dispatch.webhook-enabled.v1') await this.queue.forgive(webhook_id);
    }
    return webhookReply(await knownWebhook(this.webhooks, request));
  }
}
