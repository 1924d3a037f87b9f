import { type ReplyOf, type RequestOf, switchWebhookSecret } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebhookRepository } from './webhook-repository.js';
import { Webhooks } from './webhooks.projection.js';

/** Activates the next secret; refuses `no_next_secret`. */
@Handles(switchWebhookSecret)
export class SwitchWebhookSecret {
  constructor(
    private readonly repository: WebhookRepository,
    private readonly webhooks: Webhooks,
  ) {}

  async execute(request: RequestOf<typeof switchWebhookSecret>): Promise<ReplyOf<typeof switchWebhookSecret>> {
    await this.repository.switchSecret(request);
    return this.webhooks.get(request);
  }
}
