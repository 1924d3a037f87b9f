import { createWebhook, limitOf, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { WebhookRepository, WebhookUrlValidator } from './ports.js';

/** Creates a webhook and returns its signing secret once. Refuses URLs that are not publicly reachable. */
@Handles(createWebhook)
export class CreateWebhook {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly urls: WebhookUrlValidator,
  ) {}

  async execute(request: RequestOf<typeof createWebhook>): Promise<ReplyOf<typeof createWebhook>> {
    const { service_id, url, events, workspace_quotas } = request;
    await this.urls.validate(url);
    const id = uuidv7();
    const kinds = [...new Set(events)];
    const webhook = { service_id, webhook_id: id, url, events: kinds };
    const { secret } = await this.webhooks.create(webhook, limitOf('webhooks', workspace_quotas));
    return { id, url, events: kinds, secret };
  }
}
