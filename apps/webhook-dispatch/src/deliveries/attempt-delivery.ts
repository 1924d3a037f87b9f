import { Injectable } from '@nestjs/common';
import { type AttemptOutcome, outcomeOf } from './endpoint-response.js';
import { DeliveryQueue, EndpointClient, type PendingDelivery } from './ports.js';
import { retryDelayMs } from './retry-schedule.js';

/** A delivery that waited longer for its turn is read again: its endpoint may have been changed, disabled or removed. */
const READ_AGAIN_AFTER_MS = 1_000;

export interface AttemptOptions {
  /** Called as soon as the request is over. */
  readonly onResponse?: () => void;
  /** Whether this process may still call the endpoint. */
  readonly maySend?: () => boolean;
}

/** Makes one attempt, signed with the current time, and records its result. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly client: EndpointClient,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Resolves when the attempt is recorded, with its outcome; undefined if nothing was sent. */
  async execute(
    pending: PendingDelivery,
    { onResponse, maySend }: AttemptOptions = {},
  ): Promise<AttemptOutcome | undefined> {
    const delivery = await this.#current(pending).catch(error => {
      onResponse?.();
      throw error;
    });
    if (!delivery || maySend?.() === false) {
      onResponse?.();
      return undefined;
    }
    const startedAt = new Date();
    const request = {
      url: delivery.url,
      body: delivery.payload,
      secret: delivery.secret,
      timestampS: Math.floor(startedAt.getTime() / 1000),
      previousAttempts: delivery.attempts,
      traceparent: delivery.traceparent,
      maySend,
    };
    const response = await this.client.send(request).finally(onResponse);
    if (response.notSent) return undefined;
    const outcome = outcomeOf(response);
    // Another process attempts it then; what this one does not know must not count.
    if (outcome === 'retry' && maySend?.() === false) return undefined;
    const retryInMs = outcome === 'retry' ? retryDelayMs(delivery.attempts + 1, Math.random()) : undefined;
    await this.queue.record({ delivery, startedAt, response, outcome, retryInMs });
    return outcome;
  }

  async #current(pending: PendingDelivery): Promise<PendingDelivery | undefined> {
    return performance.now() - pending.readAtMs > READ_AGAIN_AFTER_MS ? this.queue.readAgain(pending) : pending;
  }
}
