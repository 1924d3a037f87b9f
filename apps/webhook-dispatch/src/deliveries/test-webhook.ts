import { setTimeout as delay } from 'node:timers/promises';
import { Refusal, type ReplyOf, type RequestOf, testWebhook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { Deliveries } from './deliveries.projection.js';
import { DeliveryQueue } from './ports.js';
import { testPayload } from './webhook-payload.js';

const TIMEOUT_MS = 12_000;
const POLL_MS = 50;

/** Sends a test event, which belongs to no message, and returns the delivery after its first attempt. */
@Handles(testWebhook)
export class TestWebhook {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
    private readonly deliveries: Deliveries,
  ) {}

  async execute(request: RequestOf<typeof testWebhook>): Promise<ReplyOf<typeof testWebhook>> {
    const { service_id, webhook_id, event } = request;
    const { enabled } = await this.webhooks.get(request);
    if (!enabled) throw new Refusal('webhook_disabled', 'the webhook is disabled; enable it first');
    const id = await this.queue.enqueueTest(webhook_id, testPayload(event, service_id, new Date().toISOString()));
    const claimed = await this.queue.claimOne(id);
    if (claimed) await this.attempts.execute(claimed);
    return this.#attempted(webhook_id, id);
  }

  /** Another replica may have claimed the delivery first, so this waits for any attempt. */
  async #attempted(webhookId: string, id: string): Promise<ReplyOf<typeof testWebhook>> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const delivery = await this.deliveries.find(webhookId, id);
      if (!delivery) throw new Refusal('webhook_not_found', 'the webhook has been removed');
      if (delivery.attempts.length > 0 || Date.now() > deadline) return delivery;
      await delay(POLL_MS);
    }
  }
}
