import { Module } from '@nestjs/common';
import { SendingSettingsModule } from '../emails/sending-settings.module.js';
import { SmtpModule } from '../infrastructure/smtp/smtp.module.js';
import { SystemMail } from './ports.js';
import { RelaySystemMail } from './relay-system-mail.js';

/** Mail that Postern itself sends. */
@Module({
  imports: [SmtpModule, SendingSettingsModule],
  providers: [{ provide: SystemMail, useClass: RelaySystemMail }],
  exports: [SystemMail],
})
export class SystemMailModule {}
