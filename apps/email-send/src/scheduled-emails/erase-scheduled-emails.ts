import { Injectable } from '@nestjs/common';
import { addressKey, MailboxError, parseMailbox } from '@postern/mail';
import type { PersonalErasure, RowsOnTheirOwn } from '@postern/service-host';
import type pg from 'pg';
import type { EmailRequestBody } from '../emails/email-draft.js';
import { ScheduledEmailSeal } from './scheduled-email-seal.js';
import { CANCEL, FORGET_CONTENT, LOCK_OF_RECIPIENT, REPLACE_CONTENT } from './scheduled-emails.sql.js';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly claimed: boolean;
  readonly sealed: string | null;
}

const BATCH = 20;
const ERASED = 'a recipient was erased';

/**
 * Erases a person from scheduled messages. A message that waits is sent to its other recipients; without any in `to`, it is
 * cancelled.
 */
@Injectable()
export class EraseScheduledEmails {
  constructor(private readonly seal: ScheduledEmailSeal) {}

  /** @throws while a message to the person is being sent, so that the erasure is repeated. */
  async erase(erasure: PersonalErasure, from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const hashes = this.seal.hashesOf(erasure.address);
    const { rows } = await tx.query<Row>(LOCK_OF_RECIPIENT, [hashes, from ?? null, BATCH]);
    for (const row of rows) await this.#eraseFrom(row, erasure, tx);
    const next = rows.length === BATCH ? rows.at(-1)?.id : undefined;
    return { erased: { scheduled_emails: rows.length }, ...(next === undefined ? {} : { next }) };
  }

  async #eraseFrom({ id, state, claimed, sealed }: Row, erasure: PersonalErasure, tx: pg.ClientBase): Promise<void> {
    if (claimed) throw new Error(`the scheduled email ${id} is being sent`);
    const rest = state === 'scheduled' && sealed !== null ? this.#without(id, sealed, erasure) : undefined;
    if (!rest) {
      if (state === 'scheduled') await tx.query(CANCEL, [id, new Date(), ERASED]);
      await tx.query(FORGET_CONTENT, [id]);
      return;
    }
    const stored = this.seal.seal(id, rest);
    const recipients = [rest.to, rest.cc, rest.bcc, rest.reply_to ?? []]
      .flat()
      .map(entry => this.seal.hashOf(parseMailbox(entry).address));
    await tx.query(REPLACE_CONTENT, [
      id,
      stored.sealed,
      stored.summary,
      [...new Set(recipients)],
      Buffer.byteLength(stored.sealed),
    ]);
  }

  /** The message without the person; undefined if it has no other recipient in `to`, or cannot be decrypted. */
  #without(id: string, sealed: string, { address, redact }: PersonalErasure): EmailRequestBody | undefined {
    const email = this.#opened(id, sealed);
    if (!email) return undefined;
    const key = addressKey(address);
    const others = (entries: readonly string[]) => entries.filter(entry => keyOf(entry) !== key);
    const to = others(email.to);
    if (to.length === 0) return undefined;
    const { reply_to, ...rest } = email;
    const kept = {
      ...rest,
      to,
      cc: others(email.cc),
      bcc: others(email.bcc),
      ...(reply_to === undefined ? {} : { reply_to: others(reply_to) }),
    };
    return (redact(kept) as EmailRequestBody | undefined) ?? kept;
  }

  #opened(id: string, sealed: string): EmailRequestBody | undefined {
    try {
      return this.seal.open(id, sealed);
    } catch {
      return undefined;
    }
  }
}

const keyOf = (entry: string): string | undefined => {
  try {
    return addressKey(parseMailbox(entry).address);
  } catch (error) {
    if (error instanceof MailboxError) return undefined;
    throw error;
  }
};
