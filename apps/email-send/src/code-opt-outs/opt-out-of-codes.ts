import { optOutOfCodes, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { SendingSettings } from '../relay/ports.js';
import { CodeOptOuts } from './code-opt-outs.js';

/** Adds the mailbox that a code was sent to; only its link names it. */
@Handles(optOutOfCodes)
export class OptOutOfCodes {
  constructor(
    private readonly optOuts: CodeOptOuts,
    private readonly settings: SendingSettings,
  ) {}

  async execute({ token }: RequestOf<typeof optOutOfCodes>): Promise<ReplyOf<typeof optOutOfCodes>> {
    const mailboxHash = this.settings.copies.tokens.readOptOutToken(token);
    if (!mailboxHash) throw new Refusal('link_invalid', 'this link is not valid');
    await this.optOuts.add(mailboxHash, new Date());
    return {};
  }
}
