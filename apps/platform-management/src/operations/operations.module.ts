import { Module } from '@nestjs/common';
import { Database, KeyRing, SealedColumns, OperationsModule as ServiceOperationsModule } from '@postern/service-host';
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
  imports: [
    ServiceOperationsModule.forService({
      service: 'platform-management',
      imports: [eventSourcing, prisma, EncryptionModule],
      providers: [PostgresPersonalData],
      inject: [Database, KeyRing, PostgresPersonalData],
      useFactory: ({ pool }: Database, keys: KeyRing, personal: PostgresPersonalData) => ({
        personal,
        sealed: new SealedColumns(pool, keys, SEALED_COLUMNS),
      }),
    }),
  ],
})
export class OperationsModule {}
