import { Module } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { EventSourcing } from '@postern/service-host';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { QuotaUsageModule } from '../quotas/quota-usage.module.js';
import { CreateDatabase } from './create-database.js';
import { DatabaseReconciler } from './database-reconciler.js';
import { DatabaseTimers } from './database-timers.js';
import { Databases, databases } from './databases.projection.js';
import { DeleteDatabase } from './delete-database.js';
import { GetDatabase } from './get-database.js';
import { DatabaseDirectory, DatabaseRepository } from './ports.js';
import { PostgresDatabaseRepository } from './postgres-database-repository.js';

/** Provisioned databases of workspaces. */
@Module({
  imports: [eventSourcing, prisma, EncryptionModule, RuntimeModule, QuotaUsageModule],
  providers: [
    CreateDatabase,
    DeleteDatabase,
    GetDatabase,
    Databases,
    DatabaseReconciler,
    DatabaseTimers,
    { provide: DatabaseDirectory, useExisting: Databases },
    { provide: DatabaseRepository, useClass: PostgresDatabaseRepository },
    {
      provide: CommandTransactions,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(databases),
    },
  ],
})
export class DatabasesModule {}
