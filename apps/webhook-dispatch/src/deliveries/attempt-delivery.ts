import { Injectable } from '@nestjs/common';
import { outcomeOf } from './endpoint-response.js';
import { retryDelayMs } from './retry-schedule.js';
import { type ClaimedDelivery, DeliveryQueue, EndpointCaller } from './ports.js';

/** One attempt, signed at this very moment, and its place in the log. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly caller: EndpointCaller,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Resolves when the attempt is recorded. @param called told as soon as the call is over. */
  async execute(delivery: ClaimedDelivery, called?: () => void): Promise<void> {
    const startedAt = new Date();
    const call = {
      url: delivery.url,
      body: delivery.payload,
      secret: delivery.secret,
      nowS: Math.floor(startedAt.getTime() / 1000),
      attemptsBefore: delivery.attempts,
      traceparent: delivery.traceparent,
    };
    const answer = await this.caller.call(call).finally(called);
    const outcome = outcomeOf(answer);
    const retryInMs = outcome === 'retry' ? retryDelayMs(delivery.attempts + 1, Math.random()) : undefined;
    await this.queue.report({ delivery, startedAt, answer, outcome, retryInMs });
  }
}
