import { Module } from '@nestjs/common';
import { OutboxRelay, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database, KeyRing, Operating, operationsController, SealedColumns, ServiceLog } from '@postern/service-host';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { PostgresPersonalData } from './postgres-personal-data.js';

const SEALED_COLUMNS = [
  { table: 'sealed_values', id: 'id', column: 'sealed', rowOf: (id: string) => `sealed_values/${id}` },
  {
    table: 'database_credentials',
    id: 'database_id',
    column: 'sealed_password',
    rowOf: (id: string) => `database_credentials/${id}`,
  },
];

/** What operators request of platform-management over NATS. */
@Module({
  imports: [eventSourcing, prisma, EncryptionModule],
  controllers: [operationsController('platform-management')],
  providers: [
    PostgresPersonalData,
    {
      provide: Operating,
      inject: [Database, ProjectionRunner, OutboxRelay, KeyRing, PostgresPersonalData, ServiceLog],
      useFactory: (
        database: Database,
        projections: ProjectionRunner,
        outbox: OutboxRelay,
        keys: KeyRing,
        personal: PostgresPersonalData,
        log: ServiceLog,
      ) =>
        new Operating({
          database,
          projections,
          outbox,
          log,
          personal,
          sealed: new SealedColumns(database.pool, keys, SEALED_COLUMNS),
        }),
    },
  ],
})
export class OperationsModule {}
