import { Refusal, type ReplyOf, type RequestOf, startErasure } from '@postern/contracts';
import { MailboxError, parseMailbox } from '@postern/mail';
import { Handles } from '@postern/messaging';
import { ErasureRepository } from './erasure-repository.js';

/** Postern sends to no address literal, but reports of other servers may contain one. */
const WITH_LITERAL = /^[^\s@<>]+@\[[0-9A-Za-z.:]+\]$/u;

/** Records that a recipient must be erased; `ExecuteErasures` erases it. */
@Handles(startErasure)
export class StartErasure {
  constructor(private readonly erasures: ErasureRepository) {}

  /** Refuses with `invalid_input` when the text is not an address. */
  async execute({ address }: RequestOf<typeof startErasure>): Promise<ReplyOf<typeof startErasure>> {
    return this.erasures.request(canonical(address), new Date());
  }
}

const canonical = (address: string): string => {
  if (WITH_LITERAL.test(address)) return address;
  try {
    return parseMailbox(address).address;
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal('invalid_input', error.message);
    throw error;
  }
};
