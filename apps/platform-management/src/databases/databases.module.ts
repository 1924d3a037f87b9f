import { Module } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { EventSourcing } from '@postern/service-host';
import { QuotaUsageModule } from '../accounts/quotas/quota-usage.module.js';
import { BackupsModule } from '../infrastructure/backups/backups.module.js';
import { EncryptionModule } from '../infrastructure/encryption/encryption.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { SharedNetworkModule } from '../shared-network/shared-network.module.js';
import { EnvironmentModule } from '../web-services/environment/environment.module.js';
import { WebServicesModule } from '../web-services/services/web-services.module.js';
import { AttachDatabase } from './attach-database.js';
import { AttachedServices } from './attached-services.js';
import { BackupReconciler } from './backup-reconciler.js';
import { CreateDatabase } from './create-database.js';
import { CreateDatabaseBackup } from './create-database-backup.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseBackupRecords } from './database-backup-records.js';
import { DatabaseOrders } from './database-orders.js';
import { DatabaseReconciler } from './database-reconciler.js';
import { DatabaseRecoveries } from './database-recoveries.js';
import { DatabaseRepository } from './database-repository.js';
import { Databases, databases } from './databases.projection.js';
import { DeleteDatabase } from './delete-database.js';
import { DetachDatabase } from './detach-database.js';
import { EnableDatabaseExtension } from './enable-database-extension.js';
import { ExternalAddress } from './external-address.js';
import { GetDatabase } from './get-database.js';
import { ListDatabaseAttachments } from './list-database-attachments.js';
import { ListDatabaseBackups } from './list-database-backups.js';
import { ListDatabaseExtensions } from './list-database-extensions.js';
import { ProvisionDatabase } from './provision-database.js';
import { RestoreDatabaseBackup } from './restore-database-backup.js';
import { RestoreSources } from './restore-sources.js';
import { RotateDatabase } from './rotate-database.js';
import { UpdateDatabase } from './update-database.js';

/** Provisioned databases of workspaces. */
@Module({
  imports: [
    prisma,
    BackupsModule,
    EncryptionModule,
    EnvironmentModule,
    RuntimeModule,
    QuotaUsageModule,
    SharedNetworkModule,
    WebServicesModule,
  ],
  providers: [
    CreateDatabase,
    ProvisionDatabase,
    DeleteDatabase,
    GetDatabase,
    RotateDatabase,
    UpdateDatabase,
    ExternalAddress,
    AttachDatabase,
    DetachDatabase,
    ListDatabaseAttachments,
    AttachedServices,
    CreateDatabaseBackup,
    ListDatabaseBackups,
    RestoreDatabaseBackup,
    BackupReconciler,
    ListDatabaseExtensions,
    EnableDatabaseExtension,
    Databases,
    DatabaseOrders,
    DatabaseReconciler,
    DatabaseRepository,
    DatabaseAttachments,
    DatabaseBackupRecords,
    DatabaseRecoveries,
    RestoreSources,
    {
      provide: CommandTransactions,
      inject: [EventSourcing],
      useFactory: (source: EventSourcing) => source.transactions(databases),
    },
  ],
})
export class DatabasesModule {}
