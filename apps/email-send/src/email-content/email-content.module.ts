import { Module } from '@nestjs/common';
import { EmailsModule } from '../emails/emails.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { GetEmailContent } from './get-email-content.js';
import { KeptBodies } from './kept-bodies.js';

/** The content of messages, for their owner. */
@Module({ imports: [EmailsModule, RelayModule], providers: [GetEmailContent, KeptBodies] })
export class EmailContentModule {}
