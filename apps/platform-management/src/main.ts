import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { PlatformManagementModule } from './platform-management.module.js';

await runService({
  name: 'platform-management',
  config,
  module: PlatformManagementModule,
  database: {
    directory: new URL('../../../prisma/platform-management/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
