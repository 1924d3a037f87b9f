import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { MailboxError, parseMailbox } from '@postern/mail';
import type { Erasure } from '../domain/erasure.js';
import { Erasures } from '../ports.js';

/** Postern sends to no address literal, but reports of other servers may name one. */
const WITH_LITERAL = /^[^\s@<>]+@\[[0-9A-Za-z.:]+\]$/u;

/** Records that a recipient is to be erased; `CarryOutErasures` does it. */
@Injectable()
export class StartErasure {
  constructor(private readonly erasures: Erasures) {}

  /** Refuses `invalid_input` for what is no address. */
  async execute(address: string): Promise<Erasure> {
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
