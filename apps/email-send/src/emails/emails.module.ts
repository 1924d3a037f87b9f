import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { SmtpModule } from '../infrastructure/smtp/smtp.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { GetEmail } from './get-email.js';
import { InstrumentedEmailRepository } from './instrumented-email-repository.js';
import { EmailRepository } from './ports.js';
import { PostgresEmailRepository } from './postgres-email-repository.js';
import { SendEmail } from './send-email.js';
import { SendingSettingsModule } from './sending-settings.module.js';
import { SubmitEmail } from './submit-email.js';

/** Messages from the request to the recorded outcome. */
@Module({
  imports: [PostgresModule, SmtpModule, SendingSettingsModule, ApiKeysModule, SuppressionsModule],
  providers: [
    SendEmail,
    SubmitEmail,
    GetEmail,
    PostgresEmailRepository,
    { provide: EmailRepository, useClass: InstrumentedEmailRepository },
  ],
  exports: [EmailRepository],
})
export class EmailsModule {}
