import { Module } from '@nestjs/common';
import { RelaySet } from '@postern/mail';
import { OutboundGuard } from '@postern/outbound';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { ConfigSendingSettings } from './config-sending-settings.js';
import { MailRelay, SendingSettings } from './ports.js';
import { relaysFrom } from './relay-urls.js';
import { InstrumentedMailRelay, SmtpMailRelay } from './smtp-mail-relay.js';

/** A relay is chosen by the operator, and may have a private address. */
const { lookup } = new OutboundGuard({ allowPrivate: true });

/** The upstream relays, and the operator's settings for sending through them. */
@Module({
  providers: [
    {
      provide: RelaySet,
      inject: [CONFIG],
      useFactory: ({ relays, bounceDomain }: EmailSendConfig) =>
        RelaySet.fromConfigs(relaysFrom(relays.reveal(), bounceDomain).map(relay => ({ ...relay, lookup }))),
    },
    SmtpMailRelay,
    { provide: MailRelay, useClass: InstrumentedMailRelay },
    { provide: SendingSettings, useClass: ConfigSendingSettings },
  ],
  exports: [RelaySet, MailRelay, SendingSettings],
})
export class RelayModule {}
