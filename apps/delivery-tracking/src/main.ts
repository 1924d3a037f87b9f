import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { DeliveryTrackingModule } from './delivery-tracking.module.js';

await runService({
  name: 'delivery-tracking',
  config,
  module: DeliveryTrackingModule,
  database: {
    directory: new URL('../../../prisma/delivery-tracking/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
