import { Module } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { NatsLink, StreamErasure } from '@postern/messaging';
import { Database, Operating, operationsController, ServiceLog } from '@postern/service-host';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { WaitingSignalErasure } from './waiting-signal-erasure.js';

/** The operator's requests: projections, outbox, erasure of a recipient, diagnosis. */
@Module({
  imports: [eventSourcing],
  controllers: [operationsController('delivery-tracking')],
  providers: [
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
          personal: new WaitingSignalErasure(),
          stream: new StreamErasure(link, 'delivery-tracking'),
        }),
    },
  ],
})
export class OperationsModule {}
