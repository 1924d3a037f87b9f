import type { ReplyOf, sendEmail } from '@postern/contracts';
import type { Mailbox } from '@postern/mail';
import type { ConcludedEmail } from './email.js';

/** The record that POST /emails and GET /emails/{id} return. */
export type EmailRecord = ReplyOf<typeof sendEmail>['email'];

/** The record of a message whose hand-over has ended. */
export function recordOf({ facts, status, message }: ConcludedEmail): EmailRecord {
  const to = facts.recipients.filter(({ role }) => role === 'to').map(({ address }) => address);
  return { id: facts.email_id, status, mode: facts.mode, from: facts.from, to, message };
}

/** A mailbox in readable form: any script, the name quoted only if necessary. */
export function displayed({ name, address }: Mailbox): string {
  if (name === undefined) return address;
  const isPlain = /^[\p{L}\p{M}\p{N} _'’&!-]+$/u.test(name);
  return isPlain ? `${name} <${address}>` : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
