import type { Provider } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { NatsLink, StreamErasure } from '@postern/messaging';
import { Database, Operating, operationsController, ServiceLog } from '@postern/service-host';
import { PersonalRows } from './erase-recipient.js';

/** What the operator asks of delivery-tracking. */
export const operationsProviders: Provider[] = [
  {
    provide: Operating,
    inject: [Database, ProjectionRunner, OutboxRelay, NatsLink, ServiceLog],
    useFactory: (
      database: Database,
      projections: ProjectionRunner,
      outbox: OutboxRelay,
      link: NatsLink,
      log: ServiceLog,
    ) =>
      new Operating({
        database,
        projections,
        outbox,
        log,
        personal: new PersonalRows(),
        stream: new StreamErasure(link, 'delivery-tracking'),
      }),
  },
];

export const operationsControllers = [operationsController('delivery-tracking')];
