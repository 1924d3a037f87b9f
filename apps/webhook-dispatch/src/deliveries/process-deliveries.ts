import { Injectable } from '@nestjs/common';
import { AttemptDelivery } from './attempt-delivery.js';
import { type ClaimedDelivery, DeliveryQueue } from './ports.js';
import { CALLS_PER_ENDPOINT, Lane } from './endpoint-worker.js';

const POLL_MS = 250;

/**
 * Works the queue off, each endpoint in a lane of its own:
 *
 *   due ── claimed (lease 30 s) ── waiting in its lane ── called (10 s) ── reported
 */
@Injectable()
export class WorkOffDeliveries {
  private readonly lanes = new Map<string, Lane>();
  private wakeUp: (() => void) | undefined;
  private emptied: (() => void) | undefined;
  /** Whether there has been a reason to look since the last look began. */
  private asked = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
  ) {
    queue.onWork(() => this.look());
  }

  /** Until the signal; resolves when the calls under way have been recorded. */
  async run(stop: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!stop.aborted) {
      this.asked = false;
      const claimed = await this.queue.claim(this.free(), CALLS_PER_ENDPOINT).catch(error => {
        onError(error);
        return [];
      });
      const lanes = new Set(claimed.map(delivery => this.put(delivery)));
      for (const lane of lanes) this.fill(lane, onError);
      await this.pause(stop);
    }
    for (const lane of this.lanes.values()) lane.clear();
    while (!this.isIdle) await new Promise<void>(resolve => (this.emptied = resolve));
  }

  private get isIdle(): boolean {
    return [...this.lanes.values()].every(lane => lane.isEmpty);
  }

  private put(delivery: ClaimedDelivery): Lane {
    const lane = this.lanes.get(delivery.webhookId) ?? new Lane();
    this.lanes.set(delivery.webhookId, lane);
    lane.put(delivery);
    return lane;
  }

  private free(): ReadonlyMap<string, number> {
    for (const [webhookId, lane] of this.lanes) if (lane.isIdle) this.lanes.delete(webhookId);
    return new Map([...this.lanes].map(([webhookId, lane]) => [webhookId, lane.free(this.lanes.size)]));
  }

  private fill(lane: Lane, onError: (error: unknown) => void): void {
    for (let next = lane.next(); next; next = lane.next()) {
      void this.attempts
        .execute(next, () => {
          lane.called();
          this.fill(lane, onError);
        })
        .catch(onError)
        .finally(() => {
          lane.recorded();
          this.fill(lane, onError);
        });
    }
    if (lane.runsLow) this.look();
    if (lane.isEmpty) this.emptied?.();
  }

  private look(): void {
    this.asked = true;
    this.wakeUp?.();
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
      if (stop.aborted || this.asked) done();
    });
  }
}
