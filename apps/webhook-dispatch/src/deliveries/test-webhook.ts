import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Refusal, type ReplyOf, type RequestOf, type testWebhook } from '@postern/contracts';
import { testPayload } from './webhook-payload.js';
import { deliveryReply } from './delivery-reply.js';
import { DeliveryQueue, type DeliveryRow, WebhookDirectory } from './ports.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { knownWebhook } from '../webhooks/known-webhook.js';

const ANSWER_WITHIN_MS = 12_000;
const LOOK_EVERY_MS = 50;

/** Sends an event that no message stands behind, now, and answers with what came of it. */
@Injectable()
export class TestWebhook {
  constructor(
    private readonly webhooks: WebhookDirectory,
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
  ) {}

  async execute(request: RequestOf<typeof testWebhook>): Promise<ReplyOf<typeof testWebhook>> {
    const { service_id, webhook_id, event } = request;
    const known = await knownWebhook(this.webhooks, request);
    if (!known.enabled) throw new Refusal('webhook_disabled', 'the webhook is disabled; enable it first');
    const id = await this.queue.add(webhook_id, testPayload(event, service_id, new Date().toISOString()));
    const claimed = await this.queue.claimOne(id);
    if (claimed) await this.attempts.execute(claimed);
    return deliveryReply(await this.attempted(webhook_id, id));
  }

  /** Another replica may have claimed it first; its attempt is as good as ours. */
  private async attempted(webhookId: string, id: string): Promise<DeliveryRow> {
    const deadline = Date.now() + ANSWER_WITHIN_MS;
    for (;;) {
      const row = await this.queue.find(webhookId, id);
      if (!row) throw new Refusal('webhook_not_found', 'the webhook has been removed');
      if (row.attempts.length > 0 || Date.now() > deadline) return row;
      await pause(LOOK_EVERY_MS);
    }
  }
}
