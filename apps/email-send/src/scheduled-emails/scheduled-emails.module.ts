import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { EraseScheduledEmails } from './erase-scheduled-emails.js';
import { ScheduleEmail } from './schedule-email.js';
import { ScheduledEmailRepository } from './scheduled-email-repository.js';
import { ScheduledEmailSeal } from './scheduled-email-seal.js';
import { ScheduledEmails } from './scheduled-emails.js';
import { ScheduledEmailsOfService } from './scheduled-emails-of-service.js';
import { SendScheduledEmails } from './send-scheduled-emails.js';

/** Messages that are sent at a later time. */
@Module({
  imports: [PostgresModule, ApiKeysModule, EmailServicesModule, EmailsModule],
  providers: [
    ScheduleEmail,
    ScheduledEmails,
    ScheduledEmailsOfService,
    SendScheduledEmails,
    ScheduledEmailRepository,
    ScheduledEmailSeal,
    EraseScheduledEmails,
  ],
  exports: [EraseScheduledEmails],
})
export class ScheduledEmailsModule {}
