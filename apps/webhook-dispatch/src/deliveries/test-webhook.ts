import { Refusal, type ReplyOf, type RequestOf, testWebhook } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { Deliveries } from './deliveries.projection.js';
import { DeliveryQueue } from './ports.js';
import { testPayload } from './webhook-payload.js';

/** Of one email service at a time: each keeps a request waiting until its endpoint has answered. */
const MAX_TESTS = 4;

/** Sends a test event, which belongs to no message, and returns the delivery after its first attempt. */
@Handles(testWebhook)
export class TestWebhook {
  readonly #running = new Map<string, number>();

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
    const running = this.#running.get(service_id) ?? 0;
    if (running >= MAX_TESTS)
      throw new Refusal('tests_in_progress', `at most ${MAX_TESTS} tests at a time; wait until one has finished`);
    this.#running.set(service_id, running + 1);
    try {
      const payload = testPayload(event, service_id, new Date().toISOString());
      const pending = await this.queue.enqueueTest(webhook_id, payload);
      if (pending) await this.attempts.execute(pending);
      const delivery = pending && (await this.deliveries.find(webhook_id, pending.id));
      if (!delivery) throw new Refusal('webhook_not_found', 'the webhook has been removed');
      return delivery;
    } finally {
      this.#finished(service_id);
    }
  }

  #finished(serviceId: string): void {
    const left = (this.#running.get(serviceId) ?? 1) - 1;
    if (left === 0) this.#running.delete(serviceId);
    else this.#running.set(serviceId, left);
  }
}
