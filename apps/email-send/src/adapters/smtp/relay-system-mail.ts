import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { composeMessage, type DkimSigner, type Mailbox, messageBytes, parseMailbox } from '@postern/mail';
import { v7 as uuidv7 } from 'uuid';
import { MailRelay, SystemMail } from '../../ports.js';

/** Postern's own mail: plain text. Its bounces go to the sender's address, where nobody reads them. */
@Injectable()
export class RelaySystemMail extends SystemMail {
  constructor(
    private readonly relay: MailRelay,
    private readonly from: Mailbox,
    private readonly signer: DkimSigner | undefined,
  ) {
    super();
  }

  async send(to: string, subject: string, text: string): Promise<void> {
    const id = uuidv7();
    const recipient = parseMailbox(to);
    const messageId = `${id}@${this.from.domain}`;
    const message = composeMessage({ from: this.from, to: [recipient], subject, text, messageId, date: new Date() });
    const answer = await this.relay.handOver({
      returnPath: this.from.address,
      recipient: recipient.address,
      bytes: messageBytes(message, this.signer ? [await this.signer.sign(message)] : []),
      envelopeId: id,
      needsSmtpUtf8: message.needsSmtpUtf8,
    });
    if (answer.result === 'accepted') return;
    const details = answer.result === 'refused' ? {} : { retry_after_s: 5 };
    throw new Refusal('relay_unavailable', `the mail could not be handed over: ${answer.response}`, details);
  }
}
