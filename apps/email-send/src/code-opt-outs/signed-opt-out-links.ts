import { Injectable } from '@nestjs/common';
import { SendingSettings } from '../relay/ports.js';
import { CodeOptOuts } from './code-opt-outs.js';
import { MailboxHashes, OptOutLinks } from './ports.js';

/** Links with a signed token, which contains only a hash of the mailbox. */
@Injectable()
export class SignedOptOutLinks extends OptOutLinks {
  constructor(
    private readonly hashes: MailboxHashes,
    private readonly optOuts: CodeOptOuts,
    private readonly settings: SendingSettings,
  ) {
    super();
  }

  override async urlFor(address: string): Promise<string | undefined> {
    const mailboxHash = await this.hashes.hashOf(address);
    if (await this.optOuts.has(mailboxHash)) return undefined;
    const { tokens, publicUrl } = this.settings.copies;
    return `${publicUrl}/unsubscribe/${tokens.optOutToken(mailboxHash)}`;
  }
}
