import type { OutcomeKind } from '@postern/contracts';
import type {
  AttemptResult,
  ClaimedDelivery,
  QueuedEvent,
} from '../../../apps/webhook-dispatch/src/deliveries/ports.js';

export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  readonly kinds: readonly OutcomeKind[];
}

interface Delivery {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly payload: string;
  state: 'pending' | 'accepted' | 'refused' | 'dropped';
  attempts: number;
  dueAt: number;
  fence: string | undefined;
  leasedUntil: number;
}

const LEASE_MS = 30_000;

/** The delivery queue with the guarantees of its port; it survives a crash of webhook-dispatch. */
export class DeliveryDatabase {
  readonly deliveries: Delivery[] = [];
  readonly #taken = new Set<string>();
  #fences = 0;

  constructor(
    private readonly endpoints: readonly Endpoint[],
    private readonly now: () => number,
  ) {}

  async enqueue(events: readonly QueuedEvent[]): Promise<void> {
    for (const event of events) {
      if (this.#taken.has(event.id)) continue;
      this.#taken.add(event.id);
      for (const endpoint of this.endpoints)
        if (endpoint.serviceId === event.serviceId && endpoint.kinds.includes(event.kind)) this.#add(endpoint, event);
    }
  }

  async claim(): Promise<readonly ClaimedDelivery[]> {
    const due = this.deliveries.filter(
      ({ state, dueAt, leasedUntil }) => state === 'pending' && dueAt <= this.now() && leasedUntil <= this.now(),
    );
    return due.map(delivery => {
      delivery.fence = String(++this.#fences);
      delivery.leasedUntil = this.now() + LEASE_MS;
      const { id, endpoint, fence, payload, attempts } = delivery;
      return {
        id,
        webhookId: endpoint.id,
        serviceId: endpoint.serviceId,
        workspaceId: endpoint.serviceId,
        fence,
        url: `https://${endpoint.id}.test/`,
        secret: `whsec_${endpoint.id}`,
        payload,
        attempts,
        traceparent: undefined,
        claimedAtMs: Date.now(),
      };
    });
  }

  async record({ delivery: { id, fence }, outcome, retryInMs }: AttemptResult): Promise<void> {
    const delivery = this.deliveries.find(known => known.id === id && known.fence === fence);
    if (delivery?.state !== 'pending') return;
    delivery.fence = undefined;
    delivery.leasedUntil = 0;
    delivery.attempts += 1;
    if (outcome !== 'retry') delivery.state = outcome;
    else if (retryInMs === undefined) delivery.state = 'dropped';
    else delivery.dueAt = this.now() + retryInMs;
  }

  #add(endpoint: Endpoint, { id, payload }: QueuedEvent): void {
    this.deliveries.push({
      id: `${id} ${endpoint.id}`,
      endpoint,
      payload,
      state: 'pending',
      attempts: 0,
      dueAt: this.now(),
      fence: undefined,
      leasedUntil: 0,
    });
  }
}
