import { addressParser, decodeWords } from 'postal-mime';
import { type MessageDraft, type PreparedMessage, prepareMessage } from './compose.js';
import type { HeaderLine } from './header-text.js';
import {
  bodyText,
  fieldValue,
  type MimeEntity,
  type MimeField,
  readEntity,
  replaced,
  textOf,
  toSevenBit,
  withHtml,
} from './mime-entity.js';

/** The header and the main text parts of a submitted message. */
export interface SubmittedMessage {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly messageId: string | undefined;
  /** Those named X-…. */
  readonly headers: Readonly<Record<string, string>>;
  /** The HTML part that tracking changes. */
  readonly html: string | undefined;
  readonly text: string | undefined;
  /** Whether there is content besides `html` and `text`. */
  readonly hasOtherContent: boolean;
  /** The whole message as 7-bit text, for `prepareSubmittedMessage`. */
  readonly mime: string;
}

/** Fields that pass through unchanged, besides those named X-…. */
const PASSED_FIELDS: ReadonlySet<string> = new Set([
  'auto-submitted',
  'comments',
  'content-language',
  'importance',
  'in-reply-to',
  'keywords',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'organization',
  'precedence',
  'priority',
  'references',
  'sensitivity',
  'thread-index',
  'thread-topic',
]);
const BODY_FIELDS = /^content-(?:type|transfer-encoding|disposition|id|description)$/;
const MAX_ADDRESS_FIELD = 32 * 1024;

/** Reads a submitted message. @throws MimeError if it cannot be passed on. */
export const readSubmittedMessage = (bytes: Buffer): SubmittedMessage => {
  const source = bytes.toString('latin1');
  const received = readEntity(source);
  const { fields } = received;
  const html = trackedPart(received);
  const plain = firstLeaf(received, ({ type, disposition }) => type === 'text/plain' && disposition !== 'attachment');
  const text = plain && textOf(plain);
  const sevenBit = toSevenBit(received);
  return {
    from: mailboxesIn(fields, 'from'),
    to: mailboxesIn(fields, 'to'),
    cc: mailboxesIn(fields, 'cc'),
    replyTo: mailboxesIn(fields, 'reply-to'),
    subject: wordsIn(fieldValue(fields, 'subject') ?? ''),
    messageId: fieldValue(fields, 'message-id'),
    headers: extraHeaders(fields),
    html: html && textOf(html),
    text: text?.trim() ? text : undefined,
    hasOtherContent: leavesOf(received).some(leaf => leaf !== html && leaf !== plain),
    mime: `${sevenBit.fields.map(({ line }) => `${line}\r\n`).join('')}\r\n${bodyText(sevenBit)}`,
  };
};

/**
 * Prepares a submitted message: the header is rewritten, with the fields that pass through; the body keeps its MIME
 * structure, with the HTML of a copy in the part that tracking changes.
 */
export const prepareSubmittedMessage = (
  draft: Omit<MessageDraft, 'html' | 'text'> & { readonly hidesTo?: boolean },
  mime: string,
): PreparedMessage => {
  const root = readEntity(mime);
  const tracked = trackedPart(root);
  const { headerLines: composed, needsSmtpUtf8 } = prepareMessage({ ...draft, text: ' ' });
  const own = composed
    .filter(({ name }) => !/^content-/i.test(name))
    .map(line => (draft.hidesTo && line.name === 'To' ? { name: 'To', line: 'To: undisclosed-recipients:;' } : line));
  const passed = root.fields.filter(({ name }) => PASSED_FIELDS.has(name)).map(headerLine);
  const headerLines = [...own, ...passed];
  const copy = (html?: string | readonly string[]) => {
    const changed = typeof html === 'object' ? html.join('') : html;
    const entity = changed !== undefined && tracked ? replaced(root, tracked, withHtml(tracked, changed)) : root;
    const content = entity.fields.filter(({ name }) => BODY_FIELDS.test(name)).map(headerLine);
    const body = Buffer.from(withLineEnd(bodyText(entity)), 'latin1');
    return { headerLines: [...headerLines, ...content], body, needsSmtpUtf8 };
  };
  return { headerLines, needsSmtpUtf8, copy };
};

const headerLine = ({ line }: MimeField): HeaderLine => ({ name: line.slice(0, line.indexOf(':')).trim(), line });

const withLineEnd = (body: string): string => (body.endsWith('\r\n') ? body : `${body}\r\n`);

/** The first displayed HTML part; signed, encrypted or attached parts are never changed. */
const trackedPart = (root: MimeEntity): MimeEntity | undefined =>
  firstLeaf(root, leaf => leaf.type === 'text/html' && leaf.disposition !== 'attachment' && textOf(leaf) !== undefined);

const firstLeaf = (root: MimeEntity, fits: (leaf: MimeEntity) => boolean): MimeEntity | undefined =>
  leavesOf(root).find(fits);

const leavesOf = (entity: MimeEntity): MimeEntity[] => {
  if (typeof entity.content === 'string') return [entity];
  if (/^multipart\/(?:signed|encrypted)$/.test(entity.type)) return [{ ...entity, content: '' }];
  return entity.content.children.flatMap(leavesOf);
};

const mailboxesIn = (fields: readonly MimeField[], name: string): string[] =>
  fields
    .filter(field => field.name === name)
    .flatMap(({ value }) => addressParser(utf8(value.slice(0, MAX_ADDRESS_FIELD)), { flatten: true }))
    .flatMap(({ name: displayName = '', address }) =>
      address ? [displayName ? `"${decodeWords(displayName).replace(/["\\]/g, '\\$&')}" <${address}>` : address] : [],
    );

const extraHeaders = (fields: readonly MimeField[]): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => name.startsWith('x-'))
      .map(({ line, value }) => [line.slice(0, line.indexOf(':')).trim(), wordsIn(value)]),
  );

const wordsIn = (value: string): string => decodeWords(utf8(value));

/** Raw UTF-8 in a header (RFC 6532) is accepted; anything else is read as latin1. */
const utf8 = (latin1: string): string => {
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? latin1 : text;
};
