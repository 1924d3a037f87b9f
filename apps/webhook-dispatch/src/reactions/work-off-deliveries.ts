import { Injectable } from '@nestjs/common';
import { AttemptDelivery } from '../commands/attempt-delivery.js';
import { type ClaimedDelivery, DeliveryQueue } from '../ports.js';

/** Calls under way to one endpoint at a time: what one that hangs can cost at most. */
export const CALLS_PER_ENDPOINT = 8;
/** Claimed ahead for one endpoint, so that a quick one never waits for the database. */
const CLAIMS_PER_ENDPOINT = 32;
/** A claim that waited this long is let go: an attempt begun later could outlive its lease. */
const CLAIM_LIFETIME_MS = 15_000;
const POLL_MS = 250;

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly claimedAt: number;
}

interface Lane {
  calls: number;
  readonly waiting: Waiting[];
}

/**
 * Works the queue off, each endpoint in a lane of its own:
 *
 *   due ── claimed (lease 30 s) ── waiting in its lane ── called (10 s) ── reported
 */
@Injectable()
export class WorkOffDeliveries {
  private readonly lanes = new Map<string, Lane>();
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
  ) {
    queue.onWork(() => this.wakeUp?.());
  }

  /** Until the signal; resolves when the calls under way have been recorded. */
  async run(stop: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!stop.aborted) {
      const claimed = await this.queue.claim(this.busy(), CLAIMS_PER_ENDPOINT).catch(error => {
        onError(error);
        return [];
      });
      for (const delivery of claimed) this.enqueue(delivery, onError);
      await this.pause(stop);
    }
    for (const lane of this.lanes.values()) lane.waiting.length = 0;
    while (this.lanes.size > 0) await new Promise<void>(resolve => (this.wakeUp = resolve));
  }

  private busy(): ReadonlyMap<string, number> {
    return new Map([...this.lanes].map(([webhookId, { calls, waiting }]) => [webhookId, calls + waiting.length]));
  }

  private enqueue(delivery: ClaimedDelivery, onError: (error: unknown) => void): void {
    const lane = this.lanes.get(delivery.webhookId) ?? { calls: 0, waiting: [] };
    this.lanes.set(delivery.webhookId, lane);
    lane.waiting.push({ delivery, claimedAt: Date.now() });
    this.fill(delivery.webhookId, lane, onError);
  }

  private fill(webhookId: string, lane: Lane, onError: (error: unknown) => void): void {
    while (lane.calls < CALLS_PER_ENDPOINT) {
      const next = lane.waiting.shift();
      if (!next) break;
      if (Date.now() - next.claimedAt > CLAIM_LIFETIME_MS) continue;
      lane.calls++;
      void this.attempts
        .execute(next.delivery)
        .catch(onError)
        .finally(() => {
          lane.calls--;
          this.fill(webhookId, lane, onError);
        });
    }
    if (lane.calls === 0 && lane.waiting.length === 0) this.lanes.delete(webhookId);
    if (lane.waiting.length <= CALLS_PER_ENDPOINT) this.wakeUp?.();
  }

  /** Until a lane runs low, something new is queued, or the next poll. */
  private pause(stop: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.wakeUp = undefined;
        // What happens within one turn of the event loop is one reason to look.
        setImmediate(resolve);
      };
      const timer = setTimeout(done, POLL_MS);
      stop.addEventListener('abort', done, { once: true });
      this.wakeUp = done;
      if (stop.aborted) done();
    });
  }
}
