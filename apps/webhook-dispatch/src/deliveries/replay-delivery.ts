import { Injectable } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, type replayDelivery, type replaySince } from '@postern/contracts';
import { deliveryReply } from './delivery-reply.js';
import { DeliveryQueue, WebhookDirectory } from './ports.js';
import { knownWebhook } from '../webhooks/known-webhook.js';

/** Replays are new deliveries with the full schedule, of the very same bytes. */
@Injectable()
export class ReplayDeliveries {
  constructor(
    private readonly webhooks: WebhookDirectory,
    private readonly queue: DeliveryQueue,
  ) {}

  async one(request: RequestOf<typeof replayDelivery>): Promise<ReplyOf<typeof replayDelivery>> {
    const { webhook_id, delivery_id } = request;
    await knownWebhook(this.webhooks, request);
    const id = await this.queue.replay(webhook_id, delivery_id);
    const row = id && (await this.queue.find(webhook_id, id));
    if (!row) throw new Refusal('delivery_not_found', 'there is no such delivery');
    return deliveryReply(row);
  }

  async since(request: RequestOf<typeof replaySince>): Promise<ReplyOf<typeof replaySince>> {
    await knownWebhook(this.webhooks, request);
    return { replayed: await this.queue.replaySince(request.webhook_id, new Date(request.since)) };
  }
}
