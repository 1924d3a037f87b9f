import { Inject, Injectable } from '@nestjs/common';
import { DkimSigner, type Mailbox, parseMailbox, TrackingTokens } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import type { EmailSendConfig } from '../config.js';
import type { CopySettings } from './email-copies.js';
import { SendingSettings } from './ports.js';

/** Reads the settings for sending from the configuration. */
@Injectable()
export class ConfigSendingSettings extends SendingSettings {
  readonly sandboxSender: Mailbox;
  readonly sandboxSigner: DkimSigner | undefined;
  readonly simulatorDomain: string | undefined;
  readonly copies: CopySettings;
  readonly bodyRetentionDays: number;

  constructor(@Inject(CONFIG) config: EmailSendConfig) {
    super();
    this.sandboxSender = parseMailbox(`Postern Sandbox <sandbox@${config.sandboxDomain}>`);
    this.sandboxSigner = config.sandboxDkimKey
      ? new DkimSigner({
          domain: config.sandboxDomain,
          selector: config.sandboxDkimSelector,
          privateKey: Buffer.from(config.sandboxDkimKey.reveal(), 'base64').toString('utf8'),
        })
      : undefined;
    this.simulatorDomain = config.simulatorDomain;
    this.copies = {
      tokens: TrackingTokens.fromSecrets(config.linkSecrets),
      publicUrl: config.publicUrl.replace(/\/+$/, ''),
      bounceDomain: config.bounceDomain,
    };
    this.bodyRetentionDays = config.bodyRetentionDays;
  }
}
