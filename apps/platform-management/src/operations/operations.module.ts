import type { Provider } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database, KeyRing, Operating, operationsController, SealedColumns, ServiceLog } from '@postern/service-host';
import { PersonalRows } from './postgres-personal-data.js';

/** What the operator asks of platform-management. */
export const operationsProviders: Provider[] = [
  {
    provide: Operating,
    inject: [Database, ProjectionRunner, KeyRing, ServiceLog],
    useFactory: (database: Database, projections: ProjectionRunner, keys: KeyRing, log: ServiceLog) =>
      new Operating({
        database,
        projections,
        log,
        personal: new PersonalRows(database.pool),
        sealed: new SealedColumns(database.pool, keys, [
          { table: 'sealed_values', id: 'id', column: 'sealed', rowOf: id => `sealed_values/${id}` },
          {
            table: 'database_credentials',
            id: 'database_id',
            column: 'sealed_password',
            rowOf: id => `database_credentials/${id}`,
          },
        ]),
      }),
  },
];

export const operationsControllers = [operationsController('platform-management')];
