import { createWebhook, limitOf, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebhookRepository } from './webhook-repository.js';
import { WebhookUrls } from './webhook-urls.js';

/** Creates a webhook and returns its signing secret once. Refuses URLs that are not publicly reachable. */
@Handles(createWebhook)
export class CreateWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly urls: WebhookUrls,
  ) {}

  async execute(request: RequestOf<typeof createWebhook>): Promise<ReplyOf<typeof createWebhook>> {
    const { service_id, workspace_id, events, rate_limit = null, ordered = false, workspace_quotas } = request;
    const url = await this.urls.accept(request.url);
    const id = uuidv7();
    const kinds = [...new Set(events)];
    const webhook = { service_id, workspace_id, webhook_id: id, url, events: kinds, rate_limit, ordered };
    const { secret } = await this.webhooks.create(webhook, limitOf('webhooks', workspace_quotas));
    return { id, url, events: kinds, secret };
  }
}
