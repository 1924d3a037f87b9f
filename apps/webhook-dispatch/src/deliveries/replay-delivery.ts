import { Refusal, type ReplyOf, type RequestOf, replayDelivery } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { Deliveries } from './deliveries.projection.js';
import { DeliveryQueue } from './ports.js';

/** Queues a new delivery of the same payload with the full retry schedule; refuses `delivery_not_found`. */
@Handles(replayDelivery)
export class ReplayDelivery {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly queue: DeliveryQueue,
    private readonly deliveries: Deliveries,
  ) {}

  async execute(request: RequestOf<typeof replayDelivery>): Promise<ReplyOf<typeof replayDelivery>> {
    const { webhook_id, delivery_id } = request;
    await this.webhooks.get(request);
    const id = await this.queue.replay(webhook_id, delivery_id);
    const delivery = id && (await this.deliveries.find(webhook_id, id));
    if (!delivery) throw new Refusal('delivery_not_found', 'there is no such delivery');
    return delivery;
  }
}
