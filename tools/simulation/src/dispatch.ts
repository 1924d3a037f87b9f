import { OUTCOME_EVENTS } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import { AttemptDelivery } from '../../../apps/webhook-dispatch/src/deliveries/attempt-delivery.js';
import { EnqueueDeliveries } from '../../../apps/webhook-dispatch/src/deliveries/enqueue-deliveries.js';
import type { DeliveryQueue } from '../../../apps/webhook-dispatch/src/deliveries/ports.js';
import type { DeliveryEventEnvelope } from '../../../apps/webhook-dispatch/src/deliveries/webhook-payload.js';
import { DeliveryDatabase, type Endpoint } from './delivery-database.js';
import { type EventLog, envelopeOf, Subscription } from './event-log.js';
import { Receivers } from './mail-world.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

const PUBLIC_TYPES: ReadonlySet<string> = new Set(OUTCOME_EVENTS.map(({ type }) => type));

export const isPublicEvent = ({ type }: { readonly type: string }): boolean => PUBLIC_TYPES.has(type);

/** webhook-dispatch: queues the public events of delivery-tracking and sends them to the endpoints. */
export class Dispatch {
  readonly database: DeliveryDatabase;
  readonly #events: Subscription;

  constructor(
    private readonly world: World,
    private readonly receivers: Receivers,
    tracked: EventLog,
    endpoints: readonly Endpoint[],
  ) {
    this.database = new DeliveryDatabase(endpoints, () => world.now);
    this.#events = new Subscription(tracked, isPublicEvent, world.random);
  }

  get isBusy(): boolean {
    return this.#events.behind > 0 || this.database.deliveries.some(({ state }) => state === 'pending');
  }

  async enqueueEvents(): Promise<void> {
    await this.#events.deliver(batch => {
      const events = batch.map(event => envelopeOf(event, this.world.timestamp()));
      return this.world.attempt('webhook-dispatch', process =>
        new EnqueueDeliveries(this.#queue(process)).on(
          events as unknown as readonly DeliveryEventEnvelope[],
          // The queue of the simulation commits by itself.
          {} as EventTransaction,
        ),
      );
    });
  }

  /** One round of attempts. */
  async attemptDeliveries(): Promise<void> {
    await this.world.attempt('webhook-dispatch', async process => {
      const queue = this.#queue(process);
      const attempts = new AttemptDelivery(process.connect(this.receivers, Receivers.failure), queue);
      const request = { dispatcher: '', partitions: [0], limits: new Map(), defaultLimit: 8, inProgress: [] };
      for (const delivery of await queue.due(request)) await attempts.execute(delivery);
    });
  }

  #queue(process: SimulatedProcess): DeliveryQueue {
    return process.connect(this.database) as unknown as DeliveryQueue;
  }
}
