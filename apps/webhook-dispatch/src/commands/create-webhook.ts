import { Injectable } from '@nestjs/common';
import { type createWebhook, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v7 as uuidv7 } from 'uuid';
import { webhook, webhookStream } from '../domain/webhook.js';
import { EndpointAddressCheck, WebhookDirectory, WebhookSecrets } from '../ports.js';

const WEBHOOKS_PER_SERVICE = 20;

/** Registers an endpoint and answers its signing secret, once. Refuses URLs that are not publicly reachable. */
@Injectable()
export class CreateWebhook {
  constructor(
    private readonly streams: Streams,
    private readonly webhooks: WebhookDirectory,
    private readonly addresses: EndpointAddressCheck,
    private readonly secrets: WebhookSecrets,
  ) {}

  async execute({ service_id, url, events }: RequestOf<typeof createWebhook>): Promise<ReplyOf<typeof createWebhook>> {
    await this.addresses.check(url);
    if ((await this.webhooks.ofService(service_id)).length >= WEBHOOKS_PER_SERVICE)
      throw new Refusal('too_many_webhooks', `an email service can have ${WEBHOOKS_PER_SERVICE} webhooks`);
    const id = uuidv7();
    const kinds = [...new Set(events)];
    // The secret first: an endpoint without one could never be called, a secret without an endpoint harms nobody.
    const { secret } = await this.secrets.create(id);
    await this.streams.execute(webhook, webhookStream(id), {
      kind: 'create',
      identity: { webhook_id: id, service_id, at: new Date().toISOString() },
      url,
      events: kinds,
    });
    return { id, url, events: kinds, secret };
  }
}
