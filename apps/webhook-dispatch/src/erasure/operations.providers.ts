import type { Provider } from '@nestjs/common';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { Database, KeyRing, Operating, operationsController, SealedColumns, ServiceLog } from '@postern/service-host';
import { PersonalRows } from './erase-recipient.js';

/** Secrets of webhooks are bound to the webhook's id. */
const sealedColumns = ['current', 'next'].map(column => ({
  table: 'webhook_secrets',
  id: 'webhook_id',
  column,
  rowOf: (webhookId: string) => webhookId,
}));

/** What the operator asks of webhook-dispatch. */
export const operationsProviders: Provider[] = [
  {
    provide: Operating,
    inject: [Database, ProjectionRunner, KeyRing, ServiceLog],
    useFactory: (database: Database, projections: ProjectionRunner, keys: KeyRing, log: ServiceLog) =>
      new Operating({
        database,
        projections,
        log,
        personal: new PersonalRows(),
        sealed: new SealedColumns(database.pool, keys, sealedColumns),
      }),
  },
];

export const operationsControllers = [operationsController('webhook-dispatch')];
