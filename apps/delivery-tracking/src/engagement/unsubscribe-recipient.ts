import { type ReplyOf, type RequestOf, unsubscribeRecipient } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { EmailSignals } from '../tracked-emails/email-signals.js';

/** Records that a recipient unsubscribed, and suppresses the address. A repeated request changes nothing. */
@Handles(unsubscribeRecipient)
export class UnsubscribeRecipient {
  constructor(private readonly signals: EmailSignals) {}

  /** Resolves once it is durable. */
  async execute(request: RequestOf<typeof unsubscribeRecipient>): Promise<ReplyOf<typeof unsubscribeRecipient>> {
    const { email_id, recipient_index: index, at } = request;
    await this.signals.record(email_id, { kind: 'unsubscribed', index, at });
    return {};
  }
}
