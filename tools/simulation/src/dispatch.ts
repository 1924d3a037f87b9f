import { OUTCOME_EVENTS } from '@postern/contracts';
import { AttemptDelivery } from '../../../apps/webhook-dispatch/src/commands/attempt-delivery.js';
import type { OutcomeEnvelope } from '../../../apps/webhook-dispatch/src/domain/webhook-payload.js';
import type { DeliveryQueue } from '../../../apps/webhook-dispatch/src/ports.js';
import { QueueDeliveries } from '../../../apps/webhook-dispatch/src/reactions/queue-deliveries.js';
import { DeliveryDatabase, type Endpoint } from './delivery-database.js';
import { type EventLog, envelopeOf, Subscription } from './event-log.js';
import { Receivers } from './mail-world.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

const OUTCOME_TYPES: ReadonlySet<string> = new Set(OUTCOME_EVENTS.map(({ type }) => type));

export const isOutcome = ({ type }: { readonly type: string }): boolean => OUTCOME_TYPES.has(type);

/** webhook-dispatch: queues the events of delivery-tracking and calls the endpoints. */
export class Dispatch {
  readonly database: DeliveryDatabase;
  readonly #outcomes: Subscription;

  constructor(
    private readonly world: World,
    private readonly receivers: Receivers,
    tracked: EventLog,
    endpoints: readonly Endpoint[],
  ) {
    this.database = new DeliveryDatabase(endpoints, () => world.now);
    this.#outcomes = new Subscription(tracked, isOutcome, world.random);
  }

  get isBusy(): boolean {
    return this.#outcomes.behind > 0 || this.database.deliveries.some(({ state }) => state === 'pending');
  }

  async queueOutcomes(): Promise<void> {
    await this.#outcomes.deliver(batch => {
      const outcomes = batch.map(event => envelopeOf(event, this.world.timestamp()));
      return this.world.attempt('webhook-dispatch', process =>
        new QueueDeliveries(this.#queue(process)).take(outcomes as unknown as readonly OutcomeEnvelope[]),
      );
    });
  }

  /** One round of calls; the claims of a process that crashes expire with their leases. */
  async callEndpoints(): Promise<void> {
    await this.world.attempt('webhook-dispatch', async process => {
      const queue = this.#queue(process);
      const attempts = new AttemptDelivery(process.connect(this.receivers, Receivers.failure), queue);
      for (const delivery of await queue.claim(new Map(), 8)) await attempts.execute(delivery);
    });
  }

  #queue(process: SimulatedProcess): DeliveryQueue {
    return process.connect(this.database) as unknown as DeliveryQueue;
  }
}
