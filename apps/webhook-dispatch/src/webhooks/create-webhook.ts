import { Injectable } from '@nestjs/common';
import type { createWebhook, ReplyOf, RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { EndpointAddressCheck, WebhookRepository } from '../deliveries/ports.js';

const WEBHOOKS_PER_SERVICE = 20;

/** Registers an endpoint and answers its signing secret, once. Refuses URLs that are not publicly reachable. */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly addresses: EndpointAddressCheck,
  ) {}

  async execute({ service_id, url, events }: RequestOf<typeof createWebhook>): Promise<ReplyOf<typeof createWebhook>> {
    await this.addresses.check(url);
    const id = uuidv7();
    const kinds = [...new Set(events)];
    const webhook = { service_id, webhook_id: id, url, events: kinds };
    const { secret } = await this.webhooks.create(webhook, WEBHOOKS_PER_SERVICE);
    return { id, url, events: kinds, secret };
  }
}
