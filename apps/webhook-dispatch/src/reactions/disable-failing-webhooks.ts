import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import { webhook, webhookStream } from '../domain/webhook.js';
import { DeliveryQueue } from '../ports.js';

const DAYS = 3;

/** An endpoint with nothing but failures for three days is disabled, visibly; its events are held. */
@Injectable()
export class DisableFailingWebhooks {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly streams: Streams,
  ) {}

  async run(): Promise<void> {
    for (const { webhookId, since } of await this.queue.failingFor(DAYS)) {
      await this.streams.execute(webhook, webhookStream(webhookId), {
        kind: 'disable',
        reason: `nothing but failures since ${since.toISOString()}`,
        at: new Date().toISOString(),
      });
      await this.queue.hold(webhookId);
    }
  }
}
