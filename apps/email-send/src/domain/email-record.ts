import type { ReplyOf, sendEmail } from '@postern/contracts';
import type { Mailbox } from '@postern/mail';
import type { ConcludingEvent, EmailFacts } from './email.js';
import { INTERRUPTED } from './hand-over.js';

/** The email message record: what POST /emails answers and GET /emails/{id} answers again. */
export type EmailRecord = ReplyOf<typeof sendEmail>['email'];

/** The record of a message, given how it was concluded. */
export function recordOf(facts: EmailFacts, conclusion: ConcludingEvent): EmailRecord {
  const { status, message } = sayingOf(conclusion);
  const to = facts.recipients.filter(({ role }) => role === 'to').map(({ address }) => address);
  return { id: facts.email_id, status, mode: facts.mode, from: facts.from, to, message };
}

/** A mailbox as people write it: any script, the name quoted only where it must be. */
export function displayed({ name, address }: Mailbox): string {
  if (name === undefined) return address;
  const isPlain = /^[\p{L}\p{M}\p{N} _'’&!-]+$/u.test(name);
  return isPlain ? `${name} <${address}>` : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}

function sayingOf(event: ConcludingEvent): Pick<EmailRecord, 'status' | 'message'> {
  switch (event.type) {
    case 'email-send.email-handed-over.v1':
      return { status: event.data.status, message: event.data.message };
    case 'email-send.email-not-handed-over.v1':
      return { status: 'failed', message: `Not handed over: ${event.data.reason}` };
    case 'email-send.email-interrupted.v1':
      return { status: 'failed', message: INTERRUPTED };
  }
}
