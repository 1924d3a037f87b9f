import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { BodySeal } from './body-seal.js';
import { CompleteEmail } from './complete-email.js';
import { GetEmail } from './get-email.js';
import { EmailRepository } from './ports.js';
import { InstrumentedEmailRepository, PostgresEmailRepository } from './postgres-email-repository.js';
import { ResolveUnknownEmails } from './resolve-unknown-emails.js';
import { SendEmail } from './send-email.js';
import { SendTestOfTemplate } from './send-test-of-template.js';
import { SubmitEmail } from './submit-email.js';
import { UnresolvedEmails } from './unresolved-emails.js';

/** Messages from the request to the recorded outcome. */
@Module({
  imports: [PostgresModule, RelayModule, ApiKeysModule, SuppressionsModule, TemplatesModule],
  providers: [
    SendEmail,
    SubmitEmail,
    SendTestOfTemplate,
    CompleteEmail,
    GetEmail,
    ResolveUnknownEmails,
    BodySeal,
    PostgresEmailRepository,
    { provide: EmailRepository, useClass: InstrumentedEmailRepository },
    UnresolvedEmails,
  ],
  exports: [EmailRepository, BodySeal, SendEmail, CompleteEmail],
})
export class EmailsModule {}
