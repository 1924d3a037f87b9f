import type { OutcomeKind } from '@postern/contracts';
import type { AttemptResult, DueDelivery, QueuedEvent } from '../../../apps/webhook-dispatch/src/deliveries/ports.js';

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
}

/** The delivery queue with the guarantees of its port; it survives a crash of webhook-dispatch. */
export class DeliveryDatabase {
  readonly deliveries: Delivery[] = [];
  readonly #taken = new Set<string>();

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

  /** All, because webhook-dispatch has one process here, which owns every partition. */
  async due(): Promise<readonly DueDelivery[]> {
    const due = this.deliveries.filter(({ state, dueAt }) => state === 'pending' && dueAt <= this.now());
    return due.map(({ id, endpoint, payload, attempts }) => ({
      id,
      webhookId: endpoint.id,
      serviceId: endpoint.serviceId,
      workspaceId: endpoint.serviceId,
      partition: 0,
      url: `https://${endpoint.id}.test/`,
      secret: `whsec_${endpoint.id}`,
      rateLimit: undefined,
      ordered: false,
      payload,
      attempts,
      traceparent: undefined,
      readAtMs: performance.now(),
    }));
  }

  async record({ delivery: { id, attempts }, outcome, retryInMs }: AttemptResult): Promise<void> {
    const delivery = this.deliveries.find(known => known.id === id);
    if (delivery?.state !== 'pending' || (delivery.attempts !== attempts && outcome !== 'accepted')) return;
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
    });
  }
}
