import { probeReturnPath, type ReplyOf, type RequestOf } from '@postern/contracts';
import { composeMessage, messageBytes, parseMailbox } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { MailRelay, SendingSettings } from '../relay/ports.js';

/** Sends a mail from a return path to itself: if it arrives, reports of bounces arrive as well. */
@Handles(probeReturnPath)
export class ProbeReturnPath {
  constructor(
    private readonly relay: MailRelay,
    private readonly settings: SendingSettings,
  ) {}

  async execute({ probe_id: probeId }: RequestOf<typeof probeReturnPath>): Promise<ReplyOf<typeof probeReturnPath>> {
    const { tokens, bounceDomain } = this.settings.copies;
    const address = `${tokens.returnPathToken(probeId, 0)}@${bounceDomain}`;
    const message = composeMessage({
      from: parseMailbox(address),
      to: [parseMailbox(address)],
      subject: 'Return path probe',
      text: 'Sent by `postern doctor` to see whether reports reach the bounce listener.',
      messageId: `${probeId}@${bounceDomain}`,
      date: new Date(),
    });
    const answer = await this.relay.handOver({
      returnPath: address,
      recipient: address,
      bytes: messageBytes(message, []),
      envelopeId: probeId,
      needsSmtpUtf8: false,
    });
    return { relay: answer.relay ?? 'no relay', taken: answer.result === 'accepted', answer: answer.response };
  }
}
