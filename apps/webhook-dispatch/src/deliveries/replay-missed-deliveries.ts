import { type ReplyOf, type RequestOf, replaySince } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Webhooks } from '../webhooks/webhooks.projection.js';
import { DeliveryQueue } from './ports.js';

/** Replays the deliveries that an endpoint has missed since a time: refused, dropped and held deliveries. */
@Handles(replaySince)
export class ReplayMissedDeliveries {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly queue: DeliveryQueue,
  ) {}

  async execute(request: RequestOf<typeof replaySince>): Promise<ReplyOf<typeof replaySince>> {
    await this.webhooks.get(request);
    const { webhook_id, since, state } = request;
    return { replayed: await this.queue.replayMissed(webhook_id, new Date(since), state && [state]) };
  }
}
