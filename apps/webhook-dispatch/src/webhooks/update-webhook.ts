import { type ReplyOf, type RequestOf, updateWebhook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebhookRepository } from './webhook-repository.js';
import { WebhookUrls } from './webhook-urls.js';
import { Webhooks } from './webhooks.projection.js';

/** Changes the URL, the event kinds or the pacing, disables or enables. Events of a disabled webhook are held until replayed. */
@Handles(updateWebhook)
export class UpdateWebhook {
  constructor(
    private readonly repository: WebhookRepository,
    private readonly webhooks: Webhooks,
    private readonly urls: WebhookUrls,
  ) {}

  async execute(request: RequestOf<typeof updateWebhook>): Promise<ReplyOf<typeof updateWebhook>> {
    const { url, events, ...changes } = request.changes;
    const called = url && (await this.urls.accept(url));
    await this.repository.change(request, { ...changes, url: called, events: events && [...new Set(events)] });
    return this.webhooks.get(request);
  }
}
