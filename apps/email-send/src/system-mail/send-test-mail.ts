import { type ReplyOf, type RequestOf, sendTestMail } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SystemMail } from './ports.js';

/** Sends an operator a message, and returns what the mail server said. */
@Handles(sendTestMail)
export class SendTestMail {
  constructor(private readonly mail: SystemMail) {}

  async execute({ address }: RequestOf<typeof sendTestMail>): Promise<ReplyOf<typeof sendTestMail>> {
    const text = [
      'This is a test message of Postern: its mail server has taken it.',
      '',
      'If it is in the spam folder, look at "Authentication-Results" in its source: SPF, DKIM and DMARC have to be "pass".',
      '',
    ].join('\n');
    return { to: address, ...(await this.mail.attempt(address, 'Test message', text)) };
  }
}
