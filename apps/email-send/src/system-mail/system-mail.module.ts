import { Module } from '@nestjs/common';
import { CodeOptOutsModule } from '../code-opt-outs/code-opt-outs.module.js';
import { RelayModule } from '../relay/relay.module.js';
import { NoticeLimits, SystemMail } from './ports.js';
import { PostgresNoticeLimits } from './postgres-notice-limits.js';
import { RelaySystemMail } from './relay-system-mail.js';
import { SendTestMail } from './send-test-mail.js';

/** Mail that Postern itself sends, and the limits of the mail that users can cause. */
@Module({
  imports: [RelayModule, CodeOptOutsModule],
  providers: [
    SendTestMail,
    { provide: SystemMail, useClass: RelaySystemMail },
    { provide: NoticeLimits, useClass: PostgresNoticeLimits },
  ],
  exports: [SystemMail, NoticeLimits],
})
export class SystemMailModule {}
