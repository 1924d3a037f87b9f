import { Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, KeyRing, ServiceLog } from '@postern/service-host';
import { accountsControllers, accountsProjections, accountsProviders } from './accounts/accounts.module.js';
import type { PlatformManagementConfig } from './config.js';
import { databasesControllers, databasesProjections, databasesProviders } from './databases/databases.module.js';
import { resourcesControllers, resourcesProjections, resourcesProviders } from './environment/environment.module.js';
import { PrismaClient } from './generated/prisma/client.js';
import { runtimeProviders } from './infrastructure/runtime/runtime.module.js';
import { metricsControllers, metricsProviders } from './metrics/metrics.module.js';
import { operationsControllers, operationsProviders } from './operations/operations.module.js';
import {
  webServicesControllers,
  webServicesProjections,
  webServicesProviders,
} from './web-services/web-services.module.js';

const projections = [
  ...accountsProjections,
  ...resourcesProjections,
  ...webServicesProjections,
  ...databasesProjections,
];

/** Users and workspaces; projects, web services, deployments and databases, and the runtime under them. */
@Module({
  controllers: [
    ...accountsControllers,
    ...resourcesControllers,
    ...webServicesControllers,
    ...metricsControllers,
    ...databasesControllers,
    ...operationsControllers,
  ],
  providers: [
    {
      provide: PrismaClient,
      inject: [Database],
      useFactory: (database: Database) => new PrismaClient({ adapter: database.prismaAdapter() }),
    },
    {
      provide: PostgresEventStore,
      inject: [Database],
      useFactory: ({ pool }: Database) => new PostgresEventStore(pool),
    },
    {
      provide: ProjectionRunner,
      inject: [PostgresEventStore, ServiceLog],
      useFactory: (store: PostgresEventStore, log: ServiceLog) =>
        new ProjectionRunner({
          store,
          projections,
          onError: (projection, err) => log.error({ err, projection }, 'A projection stands still; trying again'),
        }),
    },
    {
      provide: KeyRing,
      inject: [CONFIG],
      useFactory: ({ encryptionKeys }: PlatformManagementConfig) => new KeyRing(encryptionKeys),
    },
    ...accountsProviders,
    ...resourcesProviders,
    ...webServicesProviders,
    ...metricsProviders,
    ...databasesProviders,
    ...operationsProviders,
    ...runtimeProviders,
  ],
})
export class PlatformManagementModule implements OnModuleInit, OnApplicationShutdown {
  constructor(private readonly projections: ProjectionRunner) {}

  /** Before anything begins by the clock: what it decides on are the read models. */
  async onModuleInit(): Promise<void> {
    await this.projections.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}
