import { Module } from '@nestjs/common';
import { DailyQuotasModule } from '../daily-quotas/daily-quotas.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { CreateEmailService } from './create-email-service.js';
import { EmailServices } from './email-services.projection.js';
import { SetServiceLimits } from './set-service-limits.js';
import { UpdateEmailService } from './update-email-service.js';

/** Email services: the senders of a workspace. */
@Module({
  imports: [PostgresModule, DailyQuotasModule],
  providers: [EmailServices, CreateEmailService, UpdateEmailService, SetServiceLimits],
  exports: [EmailServices],
})
export class EmailServicesModule {}
