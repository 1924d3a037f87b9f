import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { composeMessage, type Mailbox, messageBytes, parseMailbox } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { EmailSendConfig } from '../config.js';
import { MailRelay, SendingSettings } from '../emails/ports.js';
import { SystemMail, type SystemMailOptions } from './ports.js';

/** Sends Postern's own mail as plain text. Bounces go to the sender's address, which nobody reads. */
@Injectable()
export class RelaySystemMail extends SystemMail {
  readonly #from: Mailbox;

  constructor(
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
    @Inject(CONFIG) config: Pick<EmailSendConfig, 'sandboxDomain'>,
  ) {
    super();
    this.#from = parseMailbox(`Postern <no-reply@${config.sandboxDomain}>`);
  }

  async send(to: string, subject: string, text: string, options: SystemMailOptions = {}): Promise<void> {
    const id = uuidv7();
    const recipient = parseMailbox(to);
    const from = this.#from;
    const messageId = `${id}@${from.domain}`;
    const message = composeMessage({ from, to: [recipient], subject, text, messageId, date: new Date(), ...options });
    const signer = this.settings.sandboxSigner;
    const answer = await this.relay.handOver({
      returnPath: from.address,
      recipient: recipient.address,
      bytes: messageBytes(message, signer ? [await signer.sign(message)] : []),
      envelopeId: id,
      needsSmtpUtf8: message.needsSmtpUtf8,
    });
    if (answer.result === 'accepted') return;
    const details = answer.result === 'refused' ? {} : { retry_after_s: 5 };
    throw new Refusal('relay_unavailable', `the mail could not be sent: ${answer.response}`, details);
  }
}
