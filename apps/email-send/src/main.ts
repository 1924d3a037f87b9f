import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { EmailSendModule } from './email-send.module.js';

await runService({
  name: 'email-send',
  config,
  module: EmailSendModule,
  database: {
    directory: new URL('../../../prisma/email-send/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
