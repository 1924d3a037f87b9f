import { Database, KeyRing, OperationsModule, SEALED_ANSWERS, SealedColumns } from '@postern/service-host';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { PostgresPersonalData } from './postgres-personal-data.js';

const SEALED_COLUMNS = [
  SEALED_ANSWERS,
  { table: 'second_factors', id: 'user_id', column: 'sealed_secret', rowOf: (id: string) => `second_factors/${id}` },
  { table: 'sealed_values', id: 'id', column: 'sealed', rowOf: (id: string) => `sealed_values/${id}` },
  {
    table: 'notification_targets',
    id: 'id',
    column: 'sealed',
    rowOf: (id: string) => `notification_targets/${id}`,
  },
  {
    table: 'database_credentials',
    id: 'database_id',
    column: 'sealed_password',
    rowOf: (id: string) => `database_credentials/${id}`,
  },
];

/** Operator commands of platform-management over NATS. */
export const operations = OperationsModule.forService({
  service: 'platform-management',
  imports: [prisma, EncryptionModule],
  providers: [PostgresPersonalData],
  inject: [Database, KeyRing, PostgresPersonalData],
  useFactory: (database: Database, keys: KeyRing, personal: PostgresPersonalData) => ({
    personal,
    sealed: new SealedColumns(database.pool, keys, SEALED_COLUMNS),
  }),
});
