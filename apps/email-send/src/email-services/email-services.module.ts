import { Module } from '@nestjs/common';
import { DailyQuotasModule } from '../daily-quotas/daily-quotas.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CloseWorkspace } from './close-workspace.js';
import { CreateEmailService } from './create-email-service.js';
import { DeleteEmailService } from './delete-email-service.js';
import { DeletedServiceData } from './deleted-service-data.js';
import { EmailServices } from './email-services.projection.js';
import { EmailServiceDeletions } from './ports.js';
import { PostgresEmailServiceDeletions } from './postgres-email-service-deletions.js';
import { SetServiceLimits } from './set-service-limits.js';
import { UpdateEmailService } from './update-email-service.js';

/** Email services: the senders of a workspace. */
@Module({
  imports: [PostgresModule, DailyQuotasModule, WorkspacesModule],
  providers: [
    EmailServices,
    CreateEmailService,
    UpdateEmailService,
    SetServiceLimits,
    DeleteEmailService,
    CloseWorkspace,
    DeletedServiceData,
    { provide: EmailServiceDeletions, useClass: PostgresEmailServiceDeletions },
  ],
  exports: [EmailServices],
})
export class EmailServicesModule {}
