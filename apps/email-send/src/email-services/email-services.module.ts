import { Module } from '@nestjs/common';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AdjustDailyQuotas } from './adjust-daily-quotas.js';
import { CloseWorkspace } from './close-workspace.js';
import { CountReports } from './count-reports.js';
import { CreateEmailService } from './create-email-service.js';
import { DailyUsage } from './daily-usage.js';
import { DeleteEmailService } from './delete-email-service.js';
import { DeletedServiceData } from './deleted-service-data.js';
import { EmailServices } from './email-services.projection.js';
import { LimitDefaults } from './limit-defaults.js';
import { QuotaGauges } from './quota-gauges.js';
import { SetServiceLimits } from './set-service-limits.js';
import { UpdateEmailService } from './update-email-service.js';

/** Email services: the senders of a workspace, with their limits and daily quotas. */
@Module({
  imports: [PostgresModule, WorkspacesModule],
  providers: [
    EmailServices,
    CreateEmailService,
    UpdateEmailService,
    SetServiceLimits,
    DeleteEmailService,
    CloseWorkspace,
    DeletedServiceData,
    LimitDefaults,
    DailyUsage,
    AdjustDailyQuotas,
    CountReports,
    QuotaGauges,
  ],
  exports: [EmailServices, LimitDefaults],
})
export class EmailServicesModule {}
