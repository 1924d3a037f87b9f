import { Module } from '@nestjs/common';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { MailAccountEvents } from './mail-account-events.js';
import { NatsAccountFacts } from './nats-account-facts.js';
import { AccountFacts } from './ports.js';

/** Mail about the accounts of users. */
@Module({
  imports: [SystemMailModule, CodeOptOutsModule],
  providers: [MailAccountEvents, { provide: AccountFacts, useClass: NatsAccountFacts }],
})
export class AccountMailModule {}
