import type { EmailFacts } from '../emails/email.js';
import type { EmailBody } from '../emails/email-copies.js';
import { draftEmail, type EmailDraft } from '../emails/email-draft.js';

/** The recipients of a message that is sent again. */
export interface NewRecipients {
  readonly to: string[];
  readonly cc: string[];
  readonly bcc: string[];
}

/** A kept message as a new one to these recipients; refuses with `invalid_email` what `draftEmail` refuses. */
export function keptDraft({ mode, subject, tags }: EmailFacts, body: EmailBody, recipients: NewRecipients): EmailDraft {
  // The sandbox replaced the sender, and put the given one first into Reply-To.
  const [given = body.from, ...otherReplyTo] = body.replyTo;
  const { from, replyTo } = mode === 'production' ? body : { from: given, replyTo: otherReplyTo };
  const {
    html: _none,
    text: _blank,
    ...checked
  } = draftEmail({
    ...recipients,
    from: from.address,
    reply_to: replyTo.map(({ address }) => address),
    subject,
    text: ' ',
    headers: {},
  });
  const { html } = body.submitted ?? body;
  return {
    ...checked,
    from,
    replyTo,
    headers: body.headers,
    attachments: body.attachments ?? [],
    references: body.references ?? [],
    tracking: { opens: body.openTracking, clicks: body.clickTracking },
    ...(html === undefined ? {} : { html }),
    ...(body.text === undefined ? {} : { text: body.text }),
    ...(body.submitted === undefined ? {} : { submitted: body.submitted }),
    ...(body.inReplyTo === undefined ? {} : { inReplyTo: body.inReplyTo }),
    ...(body.listUnsubscribe === undefined ? {} : { listUnsubscribe: body.listUnsubscribe }),
    ...(tags === undefined ? {} : { tags }),
  };
}
