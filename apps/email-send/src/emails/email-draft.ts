import {
  MAX_ATTACHMENTS,
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
  mediaTypeOf,
  parseMailbox,
} from '@postern/mail';
import type { SubmittedContent } from './email-copies.js';
import { invalidEmail } from './email-refusals.js';
import { readTags } from './email-tags.js';

type RequestBody = RequestOf<typeof sendEmail>['email'];
/** The body of POST /emails, with the content of its template. */
export type EmailRequestBody = Omit<RequestBody, 'subject' | 'template'> & { readonly subject: string };

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
  /** At least one. */
  readonly tags?: Readonly<Record<string, string>>;
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
  const tags = body.tags && readTags(body.tags);
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
    ...(tags === undefined ? {} : { tags }),
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

type Given = NonNullable<RequestOf<typeof sendEmail>['email']['attachments']>[number];

/** Decoded, of all files of a message. */
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_NAME = 255;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}$/;
const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/;

/** Validates the files of a message; refuses with `invalid_email`, whose message names the field. */
export function readAttachments(given: readonly Given[]): Attachment[] {
  if (given.length > MAX_ATTACHMENTS) throw invalidEmail('attachments', `at most ${MAX_ATTACHMENTS} files are allowed`);
  const attachments = given.map(readAttachment);
  const bytes = attachments.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0);
  if (bytes > MAX_BYTES) throw invalidEmail('attachments', 'all files together have at most 25 MiB');
  const ids = attachments.flatMap(({ contentId }) => contentId ?? []);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw invalidEmail('attachments', `the content_id "${repeated}" is given twice`);
  return attachments;
}

function readAttachment({ filename, content, content_type, content_id }: Given, index: number): Attachment {
  const refuse = (field: string, reason: string) => invalidEmail(`attachments[${index}].${field}`, reason);
  const name = cleanName(filename);
  if (name === '') throw refuse('filename', 'a name is required');
  if ([...name].length > MAX_NAME) throw refuse('filename', `at most ${MAX_NAME} characters are allowed`);
  if (content.length % 4 !== 0 || !BASE64.test(content)) throw refuse('content', 'this is not base64');
  if (content_type !== undefined && !MEDIA_TYPE.test(content_type))
    throw refuse('content_type', 'this is not a media type such as application/pdf');
  const contentId = content_id?.replace(/^<(.*)>$/, '$1');
  if (contentId !== undefined && !CONTENT_ID.test(contentId))
    throw refuse('content_id', 'an id has 1 to 200 characters of ASCII, without blanks and angle brackets');
  return {
    filename: name,
    content,
    contentType: content_type?.toLowerCase() ?? mediaTypeOf(name),
    ...(contentId === undefined ? {} : { contentId }),
  };
}

/** Without what could be a path, or break a header or a terminal. */
const cleanName = (filename: string): string =>
  filename
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\\/]/g, '_')
    .trim();

const MAX_REFERENCES = 100;
const MESSAGE_ID = /^<?([\x21-\x3b\x3d\x3f-\x7e]{1,250}@[\x21-\x3b\x3d\x3f-\x7e]{1,250})>?$/;
const URL = /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]{1,900}$/i;

/** Message-IDs without angle brackets; refuses with `invalid_email`. */
export function readMessageIds(field: string, given: readonly string[]): string[] {
  if (given.length > MAX_REFERENCES) throw invalidEmail(field, `at most ${MAX_REFERENCES} are allowed`);
  return given.map((text, index) => {
    const id = MESSAGE_ID.exec(text)?.[1];
    if (id !== undefined) return id;
    const place = field === 'references' ? `references[${index}]` : field;
    throw invalidEmail(place, 'this is not a Message-ID such as <123@example.com>');
  });
}

/** How to unsubscribe; refuses with `invalid_email`. */
export function readListUnsubscribe({
  url,
  mailto,
  one_click = false,
}: NonNullable<RequestOf<typeof sendEmail>['email']['list_unsubscribe']>): ListUnsubscribe {
  const hosted = url === undefined && one_click;
  if (url === undefined && mailto === undefined && !hosted)
    throw invalidEmail('list_unsubscribe', 'url, mailto or one_click is required');
  if (url !== undefined && !URL.test(url))
    throw invalidEmail('list_unsubscribe.url', 'this is not an http or https URL in ASCII');
  if (one_click && !hosted && !url?.toLowerCase().startsWith('https:'))
    throw invalidEmail('list_unsubscribe.one_click', 'one-click needs an https url');
  return {
    ...(url === undefined ? {} : { url }),
    ...(mailto === undefined ? {} : { mailto: addressOf(mailto) }),
    oneClick: one_click,
    ...(hosted ? { hosted } : {}),
  };
}

function addressOf(mailto: string): string {
  try {
    return parseMailbox(mailto.replace(/^mailto:/i, '')).address;
  } catch (error) {
    if (error instanceof MailboxError) throw invalidEmail('list_unsubscribe.mailto', error.message);
    throw error;
  }
}
