import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { PlatformManagementModule } from './platform-management.module.js';

// Builds and web services run as other users and traverse folders that this process creates; an inherited umask must not close them.
process.umask(0o022);
await runService({
  name: 'platform-management',
  config,
  module: PlatformManagementModule,
  database: {
    directory: new URL('../../../prisma/platform-management/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
