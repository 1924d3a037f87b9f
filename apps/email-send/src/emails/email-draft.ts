import {
  MAX_EXTRA_HEADERS,
  MAX_HEADER_VALUE_LENGTH,
  MAX_RECIPIENTS,
  MAX_SUBJECT_LENGTH,
  type RequestOf,
  type sendEmail,
} from '@postern/contracts';
import {
  type Attachment,
  addressKey,
  COPY_ID_HEADER,
  type ListUnsubscribe,
  type Mailbox,
  MailboxError,
  parseMailbox,
} from '@postern/mail';
import { readAttachments } from './email-attachments.js';
import type { SubmittedContent } from './email-copies.js';
import { invalidEmail } from './email-refusals.js';
import { readListUnsubscribe, readMessageIds } from './email-threading.js';

export type EmailRequestBody = RequestOf<typeof sendEmail>['email'];

/** One recipient of one message; return paths and tracking links contain the index. */
export interface Recipient {
  readonly index: number;
  readonly address: string;
  readonly role: 'to' | 'cc' | 'bcc';
}

/** A validated request: all addresses parsed, all rules of content checked. */
export interface EmailDraft {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  /** Each address once, with the first role that lists it; indexes start at 0. */
  readonly recipients: readonly Recipient[];
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly submitted?: Pick<SubmittedContent, 'mime' | 'hidesTo'>;
  readonly attachments: readonly Attachment[];
  /** Message-IDs without angle brackets. */
  readonly inReplyTo?: string;
  readonly references: readonly string[];
  readonly listUnsubscribe?: ListUnsubscribe;
  /** Instead of the switches of the service. */
  readonly tracking?: EmailRequestBody['tracking'];
  /** The Message-ID to keep, without angle brackets. */
  readonly messageId?: string;
  /** The first field with an address that needs SMTPUTF8. */
  readonly needsSmtpUtf8At?: string;
}

const HEADER_NAME = /^X-[A-Za-z0-9-]{1,70}$/i;
/** Control characters except the tab, and everything that a reader may treat as a line break. */
const NOT_IN_A_HEADER = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/;
const LINE_BREAK = /[\r\n\x85\u2028\u2029]/;
const MAX_REPLY_TO = 50;

/** Validates the body of POST /emails; refuses with `invalid_email`, whose message names the field. */
export function draftEmail(body: EmailRequestBody): EmailDraft {
  const { subject, headers } = body;
  const html = body.message || undefined;
  const text = body.text || undefined;

  if (body.to.length === 0) throw invalidEmail('to', 'at least one recipient is required');
  const count = body.to.length + body.cc.length + body.bcc.length;
  if (count > MAX_RECIPIENTS) {
    throw invalidEmail('to', `at most ${MAX_RECIPIENTS} recipients are allowed across to, cc and bcc, got ${count}`);
  }
  if ((body.reply_to?.length ?? 0) > MAX_REPLY_TO) {
    throw invalidEmail('reply_to', `at most ${MAX_REPLY_TO} addresses are allowed`);
  }
  if (html === undefined && text === undefined)
    throw invalidEmail('message', 'an HTML body (message) or a plain-text body (text) is required');
  checkSubject(subject);
  checkBody('message', html);
  checkBody('text', text);
  checkHeaders(headers);

  if (body.from.trim() === '') throw invalidEmail('from', 'a sender is required');
  const from = readMailbox('from', body.from);
  const to = readMailboxes('to', body.to);
  const cc = readMailboxes('cc', body.cc);
  const bcc = readMailboxes('bcc', body.bcc);
  const replyTo = readMailboxes('reply_to', body.reply_to ?? []);
  const attachments = readAttachments(body.attachments ?? []);
  const [inReplyTo] = readMessageIds('in_reply_to', body.in_reply_to === undefined ? [] : [body.in_reply_to]);
  const references = readMessageIds('references', body.references ?? []);
  const listUnsubscribe = body.list_unsubscribe && readListUnsubscribe(body.list_unsubscribe);
  const needsSmtpUtf8At = firstSmtpUtf8({ from: [from], to, cc, bcc, reply_to: replyTo });

  return {
    from,
    to,
    cc,
    replyTo,
    recipients: recipientsOf({ to, cc, bcc }),
    subject,
    headers,
    attachments,
    references,
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    ...(listUnsubscribe === undefined ? {} : { listUnsubscribe }),
    ...(body.tracking === undefined ? {} : { tracking: body.tracking }),
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
    ...(needsSmtpUtf8At === undefined ? {} : { needsSmtpUtf8At }),
  };
}

function checkSubject(subject: string): void {
  if (isLonger(subject, MAX_SUBJECT_LENGTH)) {
    throw invalidEmail('subject', `at most ${MAX_SUBJECT_LENGTH} characters are allowed`);
  }
  checkHeaderText('subject', subject);
}

/** Whether a text has more characters (code points); JavaScript counts many emoji twice. */
const isLonger = (text: string, most: number): boolean => text.length > most && [...text].length > most;

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const names = Object.keys(headers);
  if (names.length > MAX_EXTRA_HEADERS) throw invalidEmail('headers', `at most ${MAX_EXTRA_HEADERS} are allowed`);
  const seen = new Set<string>();
  for (const name of names) {
    const field = `headers.${shortened(name)}`;
    if (!/^x-/i.test(name)) throw invalidEmail(field, 'this header cannot be set; only headers named X-… can');
    if (name.toLowerCase() === COPY_ID_HEADER.toLowerCase()) {
      throw invalidEmail(field, 'this header is reserved for the id of the copy');
    }
    if (!HEADER_NAME.test(name)) {
      throw invalidEmail(field, 'a name is X- and 1 to 70 letters, digits and hyphens');
    }
    if (seen.has(name.toLowerCase())) throw invalidEmail(field, 'this header is given twice');
    seen.add(name.toLowerCase());
    const value = headers[name] ?? '';
    if (isLonger(value, MAX_HEADER_VALUE_LENGTH)) {
      throw invalidEmail(field, `at most ${MAX_HEADER_VALUE_LENGTH} characters are allowed`);
    }
    checkHeaderText(field, value);
  }
}

function checkHeaderText(field: string, value: string): void {
  if (LINE_BREAK.test(value)) throw invalidEmail(field, 'line breaks are not allowed');
  if (NOT_IN_A_HEADER.test(value)) throw invalidEmail(field, 'control characters are not allowed');
  if (!value.isWellFormed()) throw invalidEmail(field, 'this is not well-formed Unicode');
}

/** Neither the database nor SMTP can carry NUL and lone surrogates. */
function checkBody(field: string, content: string | undefined): void {
  if (content === undefined) return;
  if (content.includes('\0')) throw invalidEmail(field, 'the NUL character is not allowed');
  if (!content.isWellFormed()) throw invalidEmail(field, 'this is not well-formed Unicode');
}

function readMailboxes(field: string, entries: readonly string[]): Mailbox[] {
  return entries.map((entry, index) => readMailbox(`${field}[${index}]`, entry));
}

function readMailbox(field: string, entry: string): Mailbox {
  try {
    return parseMailbox(entry);
  } catch (error) {
    if (error instanceof MailboxError) throw invalidEmail(field, error.message);
    throw error;
  }
}

function recipientsOf(lists: Readonly<Record<Recipient['role'], readonly Mailbox[]>>): Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const role of ['to', 'cc', 'bcc'] as const) {
    for (const { address } of lists[role]) {
      const key = addressKey(address);
      if (!recipients.has(key)) recipients.set(key, { index: recipients.size, address, role });
    }
  }
  return [...recipients.values()];
}

function firstSmtpUtf8(lists: Readonly<Record<string, readonly Mailbox[]>>): string | undefined {
  for (const [field, mailboxes] of Object.entries(lists)) {
    const index = mailboxes.findIndex(mailbox => mailbox.needsSmtpUtf8);
    if (index >= 0) return field === 'from' ? field : `${field}[${index}]`;
  }
  return undefined;
}

function shortened(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 80)}…`;
}
