import { Module } from '@nestjs/common';
import { RelaySet } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../../config.js';
import { MailRelay } from '../../emails/ports.js';
import { InstrumentedMailRelay } from './instrumented-mail-relay.js';
import { relaysFrom } from './relay-urls.js';
import { SmtpMailRelay } from './smtp-mail-relay.js';

/** The upstream relays. */
@Module({
  providers: [
    {
      provide: RelaySet,
      inject: [CONFIG],
      useFactory: ({ relays, bounceDomain }: EmailSendConfig) =>
        RelaySet.fromConfigs(relaysFrom(relays.reveal(), bounceDomain)),
    },
    SmtpMailRelay,
    { provide: MailRelay, useClass: InstrumentedMailRelay },
  ],
  exports: [RelaySet, MailRelay],
})
export class SmtpModule {}
