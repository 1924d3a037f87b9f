import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { MailboxHashes, OptOutLinks } from '../code-opt-outs/ports.js';
import { plainName } from '../system-mail/plain-name.js';
import { SystemMail } from '../system-mail/ports.js';
import { VerificationCodes } from './verification-codes.js';

/** A code and its recipient, who may have no relation to the service. */
export interface RecipientCode {
  readonly address: string;
  readonly code: string;
  readonly serviceId: string;
  readonly workspaceId: string;
  /** The name of the service, which a tenant chooses. */
  readonly name: string;
  readonly at: Date;
}

/** Mails verification codes within their limits, and never to a mailbox whose owner refuses them. */
@Injectable()
export class CodeMailer {
  constructor(
    private readonly mail: SystemMail,
    private readonly codes: VerificationCodes,
    private readonly hashes: MailboxHashes,
    private readonly optOuts: OptOutLinks,
  ) {}

  /**
   * Refuses with `recipient_opted_out`, `too_many_codes` or `relay_unavailable`; in these cases nothing was sent or
   * counted.
   */
  async send({ address, code, name, ...counted }: RecipientCode): Promise<void> {
    const unsubscribeUrl = await this.optOuts.urlFor(address);
    if (!unsubscribeUrl) throw new Refusal('recipient_opted_out', `${address} has opted out of verification codes`);
    const mailboxHash = await this.hashes.hashOf(address);
    await this.codes.reserve({ ...counted, mailboxHash });
    try {
      const text = codeMail(code, plainName(name), unsubscribeUrl);
      await this.mail.send(address, `${code} is your verification code`, text, { unsubscribeUrl });
    } catch (error) {
      await this.codes.release({ ...counted, mailboxHash });
      throw error;
    }
  }
}

const codeMail = (code: string, name: string, unsubscribeUrl: string): string =>
  [
    `Your verification code is ${code}.`,
    '',
    `Enter it in the dashboard to let ${name ? `the email service "${name}"` : 'an email service'} send its sandbox mail to this address.`,
    'The code is valid for 24 hours. If you did not expect it, ignore this message.',
    '',
    'To stop receiving verification codes and invitations at this address, open:',
    unsubscribeUrl,
    '',
  ].join('\n');
