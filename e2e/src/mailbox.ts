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

/** The text of a mail, without the line breaks and escapes of its transfer encoding. */
export const textOf = ({ raw }: MailboxMessage): string =>
  raw.slice(raw.indexOf('\r\n\r\n')).replace(/=\r\n/g, '').replaceAll('=3D', '=');

/** The mailboxes of a running Postern, from now on. */
export class Mailbox {
  /** Mail that arrived earlier belongs to other readers. */
  private readonly since = new Date().toISOString();

  constructor(private readonly url: string) {}

  /** The newest mail to an address that fits, as soon as there is one. */
  async mailTo(address: string, fits: (mail: MailboxMessage) => boolean = () => true): Promise<MailboxMessage> {
    return waitFor(async () => (await this.mailsTo(address)).findLast(fits), {
      timeoutMs: 30_000,
      intervalMs: 50,
      describe: `mail to ${address}`,
    });
  }

  /** Everything that an address received, oldest first. */
  async mailsTo(address: string): Promise<readonly MailboxMessage[]> {
    const response = await fetch(`${this.url}/messages?to=${encodeURIComponent(address)}`);
    const mails = (await response.json()) as MailboxMessage[];
    return mails.filter(({ received_at }) => received_at >= this.since);
  }

  /** The six digits that Postern sent to an address last. */
  async codeSentTo(address: string): Promise<string> {
    const code = (mail: MailboxMessage) => /\b(\d{6})\b/.exec(mail.raw.slice(mail.raw.indexOf('\r\n\r\n')))?.[1];
    return code(await this.mailTo(address, mail => code(mail) !== undefined)) as string;
  }

  /** The token of the link in the newest mail with this subject; it is the fragment of the link. */
  async linkTokenSentTo(address: string, subject: string): Promise<string> {
    const token = (mail: MailboxMessage) => /\/dashboard\/[a-z-]+#([\w-]{43})/.exec(textOf(mail))?.[1];
    return token(await this.mailTo(address, mail => mail.subject === subject)) as string;
  }
}
