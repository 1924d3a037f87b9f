import { Module } from '@nestjs/common';
import { AuditLogModule } from './accounts/audit-log/audit-log.module.js';
import { CallersModule } from './accounts/callers/callers.module.js';
import { LoginLimitsModule } from './accounts/login-limits/login-limits.module.js';
import { LoginsModule } from './accounts/logins/logins.module.js';
import { OwnerMailModule } from './accounts/owner-mail/owner-mail.module.js';
import { PasswordsModule } from './accounts/passwords/passwords.module.js';
import { QuotasModule } from './accounts/quotas/quotas.module.js';
import { RegistrationsModule } from './accounts/registrations/registrations.module.js';
import { SecondFactorsModule } from './accounts/second-factors/second-factors.module.js';
import { SessionsModule } from './accounts/sessions/sessions.module.js';
import { UsersModule } from './accounts/users/users.module.js';
import { WorkspaceDeletionsModule } from './accounts/workspace-deletions/workspace-deletions.module.js';
import { WorkspacesModule } from './accounts/workspaces/workspaces.module.js';
import { DatabasesModule } from './databases/databases.module.js';
import { eventSourcing } from './event-sourcing.module.js';
import { ManagementKeysModule } from './management-keys/management-keys.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { operations } from './operations/operations.module.js';
import { PlatformKeysModule } from './platform-keys/platform-keys.module.js';
import { ProblemsModule } from './problems/problems.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { RequestLogModule } from './request-log/request-log.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SystemModule } from './system/system.module.js';
import { CommitStatusesModule } from './web-services/commit-statuses/commit-statuses.module.js';
import { CronJobsModule } from './web-services/cron-jobs/cron-jobs.module.js';
import { CustomDomainsModule } from './web-services/custom-domains/custom-domains.module.js';
import { DeployHooksModule } from './web-services/deploy-hooks/deploy-hooks.module.js';
import { DeploymentsModule } from './web-services/deployments/deployments.module.js';
import { DiskBackupsModule } from './web-services/disk-backups/disk-backups.module.js';
import { EnvironmentModule } from './web-services/environment/environment.module.js';
import { LogDrainsModule } from './web-services/log-drains/log-drains.module.js';
import { MetricsModule } from './web-services/metrics/metrics.module.js';
import { ModerationModule } from './web-services/moderation/moderation.module.js';
import { ReconcilerModule } from './web-services/reconciler/reconciler.module.js';
import { RepositoryCredentialsModule } from './web-services/repository-credentials/repository-credentials.module.js';
import { RunsModule } from './web-services/runs/runs.module.js';
import { WebServicesModule } from './web-services/services/web-services.module.js';

/** The features of platform-management. */
@Module({
  imports: [
    eventSourcing,
    UsersModule,
    LoginLimitsModule,
    SessionsModule,
    SecondFactorsModule,
    PasswordsModule,
    WorkspacesModule,
    RegistrationsModule,
    LoginsModule,
    CallersModule,
    RetentionModule,
    PlatformKeysModule,
    ManagementKeysModule,
    ProjectsModule,
    QuotasModule,
    SystemModule,
    EnvironmentModule,
    WebServicesModule,
    DeploymentsModule,
    CronJobsModule,
    LogDrainsModule,
    CommitStatusesModule,
    DeployHooksModule,
    RepositoryCredentialsModule,
    CustomDomainsModule,
    ReconcilerModule,
    RunsModule,
    ModerationModule,
    MetricsModule,
    DatabasesModule,
    DiskBackupsModule,
    AuditLogModule,
    OwnerMailModule,
    NotificationsModule,
    ProblemsModule,
    RequestLogModule,
    WorkspaceDeletionsModule,
    operations,
  ],
})
export class PlatformManagementModule {}
