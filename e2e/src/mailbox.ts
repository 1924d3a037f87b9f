import { waitFor } from '@postern/testing';

export interface MailboxMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly envelope_from: string;
  readonly received_at: string;
  readonly raw: string;
}

/** The text of a mail with its transfer encoding decoded. */
export const textOf = ({ raw }: MailboxMessage): string =>
  raw.slice(raw.indexOf('\r\n\r\n')).replace(/=\r\n/g, '').replaceAll('=3D', '=');

/** The mailboxes of a running Postern, without mail received before. */
export class Mailbox {
  /** Earlier mail belongs to other tests. */
  private readonly since = new Date().toISOString();

  constructor(private readonly url: string) {}

  /** Waits for the newest matching mail to an address. */
  async mailTo(address: string, fits: (mail: MailboxMessage) => boolean = () => true): Promise<MailboxMessage> {
    return waitFor(async () => (await this.mailsTo(address)).findLast(fits), {
      timeoutMs: 30_000,
      intervalMs: 50,
      describe: `mail to ${address}`,
    });
  }

  /** All mail to an address, oldest first. */
  async mailsTo(address: string): Promise<readonly MailboxMessage[]> {
    const response = await fetch(`${this.url}/messages?to=${encodeURIComponent(address)}`);
    const mails = (await response.json()) as MailboxMessage[];
    return mails.filter(({ received_at }) => received_at >= this.since);
  }

  /** The newest six-digit code that Postern sent to an address. */
  async codeSentTo(address: string): Promise<string> {
    const code = (mail: MailboxMessage) => /\b(\d{6})\b/.exec(mail.raw.slice(mail.raw.indexOf('\r\n\r\n')))?.[1];
    return code(await this.mailTo(address, mail => code(mail) !== undefined)) as string;
  }

  /** The token in the fragment of the link in the newest mail with this subject. */
  async linkTokenSentTo(address: string, subject: string): Promise<string> {
    const token = (mail: MailboxMessage) => /\/dashboard\/[a-z-]+#([\w-]{43})/.exec(textOf(mail))?.[1];
    return token(await this.mailTo(address, mail => mail.subject === subject)) as string;
  }
}
