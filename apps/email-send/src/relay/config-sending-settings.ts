import { Inject, Injectable } from '@nestjs/common';
import { DkimSigner, type Mailbox, parseMailbox, TrackingTokens } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import { copyIdHeadersFor } from './copy-id-headers.js';
import type { CopySettings, VerifiedDomain } from './ports.js';
import { SendingSettings } from './ports.js';
import { relaysFrom } from './relay-urls.js';

/** Reads the settings for sending from the configuration. */
@Injectable()
export class ConfigSendingSettings extends SendingSettings {
  readonly sandboxSender: Mailbox;
  readonly sandboxDomain: VerifiedDomain;
  readonly simulatorDomain: string | undefined;
  readonly copies: CopySettings;
  readonly bodyRetentionDays: number;
  readonly messageRetentionDays: number;

  constructor(@Inject(CONFIG) config: EmailSendConfig) {
    super();
    this.sandboxSender = parseMailbox(`Postern Sandbox <sandbox@${config.sandboxDomain}>`);
    const { sandboxDkimKey: key, sandboxDkimSelector: selector, sandboxDomain: domain } = config;
    const privateKey = key && Buffer.from(key.reveal(), 'base64').toString('utf8');
    this.sandboxDomain = { signers: privateKey ? [new DkimSigner({ domain, selector, privateKey })] : [] };
    this.simulatorDomain = config.simulatorDomain;
    this.copies = {
      tokens: TrackingTokens.fromSecrets(config.linkSecrets),
      publicUrl: config.publicUrl.replace(/\/+$/, ''),
      bounceDomain: config.bounceDomain,
      copyIdHeaders: copyIdHeadersFor(relaysFrom(config.relays.reveal(), config.bounceDomain).map(({ host }) => host)),
    };
    this.bodyRetentionDays = config.bodyRetentionDays;
    this.messageRetentionDays = config.messageRetentionDays;
  }
}
