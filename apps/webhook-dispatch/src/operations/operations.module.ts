import { Module } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database, KeyRing, Operating, operationsController, SealedColumns, ServiceLog } from '@postern/service-host';
import { EncryptionModule } from '../infrastructure/encryption.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { DeliveryErasure } from './delivery-erasure.js';

/** Webhook secrets are sealed for the id of their webhook. */
const sealedColumns = ['current', 'next'].map(column => ({
  table: 'webhook_secrets',
  id: 'webhook_id',
  column,
  rowOf: (webhookId: string) => webhookId,
}));

/** The operator's requests: projections, key rotation, erasure of a recipient, diagnosis. */
@Module({
  imports: [eventSourcing, EncryptionModule],
  controllers: [operationsController('webhook-dispatch')],
  providers: [
    {
      provide: Operating,
      inject: [Database, ProjectionRunner, KeyRing, ServiceLog],
      useFactory: (database: Database, projections: ProjectionRunner, keys: KeyRing, log: ServiceLog) =>
        new Operating({
          database,
          projections,
          log,
          personal: new DeliveryErasure(),
          sealed: new SealedColumns(database.pool, keys, sealedColumns),
        }),
    },
  ],
})
export class OperationsModule {}
