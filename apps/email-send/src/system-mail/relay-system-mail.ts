import { Inject, Injectable } from '@nestjs/common';
import { composeMessage, type Mailbox, messageBytes, parseMailbox, signMessage } from '@postern/mail';
import { CONFIG } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { EmailSendConfig } from '../config.js';
import type { CopyAnswer } from '../relay/hand-over.js';
import { MailRelay, SendingSettings } from '../relay/ports.js';
import { SystemMail, type SystemMailAttempt, type SystemMailOptions } from './ports.js';
import { systemMailHtml } from './system-mail-html.js';

/** Sends Postern's own mail, as text and as HTML with the same words. Bounces go to the sender's address, which nobody reads. */
@Injectable()
export class RelaySystemMail extends SystemMail {
  readonly #from: Mailbox;

  constructor(
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
    @Inject(CONFIG) private readonly config: Pick<EmailSendConfig, 'publicUrl' | 'sandboxDomain'>,
  ) {
    super();
    this.#from = parseMailbox(`Postern <no-reply@${config.sandboxDomain}>`);
  }

  override async attempt(
    to: string,
    subject: string,
    text: string,
    options: SystemMailOptions = {},
  ): Promise<SystemMailAttempt> {
    const id = uuidv7();
    const recipient = parseMailbox(to);
    const from = this.#from;
    const messageId = `${id}@${from.domain}`;
    const message = composeMessage({
      from,
      to: [recipient],
      subject,
      text,
      html: systemMailHtml(subject, text, this.config.publicUrl),
      messageId,
      date: new Date(),
      autoSubmitted: true,
      ...options,
    });
    const { result, response } = await this.relay.handOver({
      returnPath: from.address,
      recipient: recipient.address,
      bytes: messageBytes(message, await signMessage(message, this.settings.sandboxDomain.signers)),
      envelopeId: id,
      needsSmtpUtf8: message.needsSmtpUtf8,
    });
    return { result: ATTEMPTS[result], response };
  }
}

const ATTEMPTS: Readonly<Record<CopyAnswer['result'], SystemMailAttempt['result']>> = {
  accepted: 'accepted',
  refused: 'refused',
  suppressed: 'refused',
  deferred: 'not_sent',
  unreachable: 'not_sent',
  unknown: 'unknown',
};
