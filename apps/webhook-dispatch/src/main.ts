import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { WebhookDispatchModule } from './webhook-dispatch.module.js';

await runService({
  name: 'webhook-dispatch',
  config,
  module: WebhookDispatchModule,
  database: {
    directory: new URL('../../../prisma/webhook-dispatch/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
