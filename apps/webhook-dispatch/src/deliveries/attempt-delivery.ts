import { Injectable } from '@nestjs/common';
import { outcomeOf } from './endpoint-response.js';
import { type ClaimedDelivery, DeliveryQueue, EndpointClient } from './ports.js';
import { retryDelayMs } from './retry-schedule.js';

/** A delivery that waited longer for its turn is read again: its endpoint may have been changed, disabled or removed. */
const READ_AGAIN_AFTER_MS = 1_000;

/** Makes one attempt, signed with the current time, and records its result. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly client: EndpointClient,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Resolves when the attempt is recorded. `onResponse` is called as soon as the request is over. */
  async execute(claimed: ClaimedDelivery, onResponse?: () => void): Promise<void> {
    const delivery = await this.#current(claimed).catch(error => {
      onResponse?.();
      throw error;
    });
    if (!delivery) return onResponse?.();
    const startedAt = new Date();
    const request = {
      url: delivery.url,
      body: delivery.payload,
      secret: delivery.secret,
      timestampS: Math.floor(startedAt.getTime() / 1000),
      previousAttempts: delivery.attempts,
      traceparent: delivery.traceparent,
    };
    const response = await this.client.send(request).finally(onResponse);
    const outcome = outcomeOf(response);
    const retryInMs = outcome === 'retry' ? retryDelayMs(delivery.attempts + 1, Math.random()) : undefined;
    await this.queue.record({ delivery, startedAt, response, outcome, retryInMs });
  }

  async #current(claimed: ClaimedDelivery): Promise<ClaimedDelivery | undefined> {
    return Date.now() - claimed.claimedAtMs > READ_AGAIN_AFTER_MS ? this.queue.readAgain(claimed) : claimed;
  }
}
