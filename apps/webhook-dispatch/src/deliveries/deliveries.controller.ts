import { Controller } from '@nestjs/common';
import {
  listDeliveries,
  OUTCOME_EVENTS,
  type ReplyOf,
  type RequestOf,
  replayDelivery,
  replaySince,
  testWebhook,
} from '@postern/contracts';
import { type EventBatch, HandlesEvents, HandlesRequest } from '@postern/messaging';
import { knownWebhook } from '../webhooks/known-webhook.js';
import { ReplayDeliveries } from './replay-delivery.js';
import { TestWebhook } from './test-webhook.js';
import { deliveryReply } from './delivery-reply.js';
import { DeliveryQueue, WebhookDirectory } from './ports.js';
import { QueueDeliveries } from './enqueue-deliveries.js';

/** Deliveries to the endpoints, and the outcomes that they come from. */
@Controller()
export class DeliveriesController {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly webhooks: WebhookDirectory,
    private readonly queueing: QueueDeliveries,
    private readonly testing: TestWebhook,
    private readonly replaying: ReplayDeliveries,
  ) {}

  @HandlesEvents(OUTCOME_EVENTS, { consumer: 'deliveries' })
  onOutcomes(batch: EventBatch<(typeof OUTCOME_EVENTS)[number]>): Promise<void> {
    return this.queueing.take(batch);
  }

  @HandlesRequest(listDeliveries)
  async list(request: RequestOf<typeof listDeliveries>): Promise<ReplyOf<typeof listDeliveries>> {
    const { webhook_id, limit, offset, state } = request;
    await knownWebhook(this.webhooks, request);
    const { items, total } = await this.queue.list(webhook_id, { limit, offset, state });
    return { items: items.map(deliveryReply), total, limit, offset };
  }

  @HandlesRequest(testWebhook)
  test(request: RequestOf<typeof testWebhook>): Promise<ReplyOf<typeof testWebhook>> {
    return this.testing.execute(request);
  }

  @HandlesRequest(replayDelivery)
  replay(request: RequestOf<typeof replayDelivery>): Promise<ReplyOf<typeof replayDelivery>> {
    return this.replaying.one(request);
  }

  @HandlesRequest(replaySince)
  replaySince(request: RequestOf<typeof replaySince>): Promise<ReplyOf<typeof replaySince>> {
    return this.replaying.since(request);
  }
}
