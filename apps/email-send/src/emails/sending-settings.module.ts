import { Module } from '@nestjs/common';
import { ConfigSendingSettings } from './config-sending-settings.js';
import { SendingSettings } from './ports.js';

/** The operator's settings for sending. */
@Module({
  providers: [{ provide: SendingSettings, useClass: ConfigSendingSettings }],
  exports: [SendingSettings],
})
export class SendingSettingsModule {}
