import { Module } from '@nestjs/common';
import { EmailsModule } from '../emails/emails.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { CloseInterruptedEmails } from './close-interrupted-emails.js';
import { EmailsInProgress } from './emails-in-progress.js';

/** Messages whose process died before it recorded their outcome. */
@Module({
  imports: [PostgresModule, EmailsModule],
  providers: [CloseInterruptedEmails, EmailsInProgress],
})
export class InterruptedEmailsModule {}
