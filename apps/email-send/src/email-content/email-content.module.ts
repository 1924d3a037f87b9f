import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { GetEmailContent } from './get-email-content.js';
import { KeptBodies } from './kept-bodies.js';
import { SendEmailAgain } from './send-email-again.js';

/** The content of messages, for their owner. */
@Module({
  imports: [ApiKeysModule, EmailsModule, RelayModule],
  providers: [GetEmailContent, SendEmailAgain, KeptBodies],
})
export class EmailContentModule {}
