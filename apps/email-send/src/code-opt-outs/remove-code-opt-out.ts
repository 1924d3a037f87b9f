import { Refusal, type ReplyOf, type RequestOf, removeCodeOptOut } from '@postern/contracts';
import { MailboxError, parseMailbox } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { CodeOptOuts } from './code-opt-outs.js';
import { MailboxHashes } from './ports.js';

/** Removes a mailbox from the list, at its owner's request. */
@Handles(removeCodeOptOut)
export class RemoveCodeOptOut {
  constructor(
    private readonly optOuts: CodeOptOuts,
    private readonly hashes: MailboxHashes,
  ) {}

  async execute(request: RequestOf<typeof removeCodeOptOut>): Promise<ReplyOf<typeof removeCodeOptOut>> {
    const hash = await this.hashes.hashOf(addressIn(request.address));
    return { removed: await this.optOuts.remove(hash) };
  }
}

function addressIn(input: string): string {
  try {
    return parseMailbox(input).address;
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal('invalid_input', `address: ${error.message}`);
    throw error;
  }
}
