import { Module } from '@nestjs/common';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { PostgresModule } from '../infrastructure/postgres/postgres.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { AddVerifiedRecipient } from './add-verified-recipient.js';
import { CodeMailer } from './code-mailer.js';
import { PreAddRecipient } from './pre-add-recipient.js';
import { RemoveVerifiedRecipient } from './remove-verified-recipient.js';
import { VerificationCodes } from './verification-codes.js';
import { VerifiedRecipients } from './verified-recipients.projection.js';
import { VerifyRecipient } from './verify-recipient.js';

/** Recipients of sandbox mail. */
@Module({
  imports: [PostgresModule, EmailServicesModule, SystemMailModule, CodeOptOutsModule, RelayModule],
  providers: [
    VerifiedRecipients,
    AddVerifiedRecipient,
    PreAddRecipient,
    VerifyRecipient,
    RemoveVerifiedRecipient,
    CodeMailer,
    VerificationCodes,
  ],
})
export class VerifiedRecipientsModule {}
