import { type ReplyOf, type RequestOf, sendEmail, sendEmailAgain } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { enabledSender, SenderDirectory } from '../api-keys/ports.js';
import { SendEmail } from '../emails/send-email.js';
import { KeptBodies } from './kept-bodies.js';
import { keptDraft } from './kept-draft.js';

/** Sends the content of a kept message as a new message, for a user of the dashboard. */
@Handles(sendEmailAgain)
export class SendEmailAgain {
  constructor(
    private readonly bodies: KeptBodies,
    private readonly senders: SenderDirectory,
    private readonly sending: SendEmail,
  ) {}

  async execute(request: RequestOf<typeof sendEmailAgain>): Promise<ReplyOf<typeof sendEmailAgain>> {
    const { facts, body } = await this.bodies.keptOf(request);
    const { to, cc, bcc } = request;
    const { email } = await this.sending.send({
      canonical: JSON.stringify(['again', facts.email_id, to, cc, bcc]),
      bytes: JSON.stringify(body).length,
      answer_within_ms: sendEmail.deadlineMs,
      sender: () => enabledSender(this.senders, facts.service_id),
      draft: () => keptDraft(facts, body, { to, cc, bcc }),
    });
    return email;
  }
}
