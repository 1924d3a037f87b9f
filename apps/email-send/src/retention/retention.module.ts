import { Module } from '@nestjs/common';
import { EmailsModule } from '../emails/emails.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { Retention } from './retention.js';

/** The retention of all rows of email-send. */
@Module({ imports: [EmailsModule, RelayModule], providers: [Retention] })
export class RetentionModule {}
