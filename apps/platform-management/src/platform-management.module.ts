import { Module } from '@nestjs/common';
import { AuditLogModule } from './audit-log/audit-log.module.js';
import { CronJobsModule } from './cron-jobs/cron-jobs.module.js';
import { CustomDomainsModule } from './custom-domains/custom-domains.module.js';
import { DatabasesModule } from './databases/databases.module.js';
import { DeployHooksModule } from './deploy-hooks/deploy-hooks.module.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { EnvironmentModule } from './environment/environment.module.js';
import { LoginLimitsModule } from './login-limits/login-limits.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ModerationModule } from './moderation/moderation.module.js';
import { operations } from './operations/operations.module.js';
import { OwnerMailModule } from './owner-mail/owner-mail.module.js';
import { PasswordResetsModule } from './password-resets/password-resets.module.js';
import { PlatformKeysModule } from './platform-keys/platform-keys.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { ReconcilerModule } from './reconciler/reconciler.module.js';
import { RepositoryCredentialsModule } from './repository-credentials/repository-credentials.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SecondFactorsModule } from './second-factors/second-factors.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { ExpiredLoginsModule } from './users/expired-logins.module.js';
import { UsersModule } from './users/users.module.js';
import { WebServicesModule } from './web-services/web-services.module.js';
import { WorkspaceDeletionsModule } from './workspace-deletions/workspace-deletions.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/** The features of platform-management. */
@Module({
  imports: [
    UsersModule,
    LoginLimitsModule,
    SessionsModule,
    SecondFactorsModule,
    PasswordResetsModule,
    WorkspacesModule,
    ExpiredLoginsModule,
    PlatformKeysModule,
    ProjectsModule,
    QuotasModule,
    EnvironmentModule,
    WebServicesModule,
    DeploymentsModule,
    CronJobsModule,
    DeployHooksModule,
    RepositoryCredentialsModule,
    CustomDomainsModule,
    ReconcilerModule,
    RunsModule,
    ModerationModule,
    MetricsModule,
    DatabasesModule,
    AuditLogModule,
    OwnerMailModule,
    WorkspaceDeletionsModule,
    operations,
  ],
})
export class PlatformManagementModule {}
