import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { DatabasesModule } from './databases/databases.module.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { EnvironmentModule } from './environment/environment.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ModerationModule } from './moderation/moderation.module.js';
import { operations } from './operations/operations.module.js';
import { PlatformKeysModule } from './platform-keys/platform-keys.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { ReconcilerModule } from './reconciler/reconciler.module.js';
import { WebServicesModule } from './web-services/web-services.module.js';

/** The features of platform-management. */
@Module({
  imports: [
    AccountsModule,
    PlatformKeysModule,
    ProjectsModule,
    QuotasModule,
    EnvironmentModule,
    WebServicesModule,
    DeploymentsModule,
    ReconcilerModule,
    ModerationModule,
    MetricsModule,
    DatabasesModule,
    operations,
  ],
})
export class PlatformManagementModule {}
