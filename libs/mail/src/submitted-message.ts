import { addressParser } from 'postal-mime';
import { type MessageDraft, type PreparedMessage, prepareMessage } from './compose.js';
import { decodeHeaderText, readRawText } from './encoded-words.js';
import type { HeaderLine } from './header-text.js';
import { MailboxError, parseMailbox } from './mailbox.js';
import {
  bodyText,
  type MimeEntity,
  readableText,
  readEntity,
  replaced,
  textOf,
  toSevenBit,
  withHtml,
} from './mime-entity.js';
import { fieldValue, type MimeField } from './mime-field.js';
import { OPTION_FIELDS, type SubmissionOptions, submissionOptions } from './submission-options.js';

/** The header and the main text parts of a submitted message. */
export interface SubmittedMessage {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  /** The Message-ID without angle brackets, if the sender asks to keep it. */
  readonly keptMessageId: string | undefined;
  readonly options: SubmissionOptions;
  /** The HTML part that tracking changes. */
  readonly html: string | undefined;
  readonly text: string | undefined;
  /** The whole message as 7-bit text, for `prepareSubmittedMessage`. */
  readonly mime: string;
}

/** Fields that Postern writes, and those that describe another transmission of the message. All others pass through. */
const REPLACED_FIELDS =
  /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|return-path|received|received-spf|authentication-results|dkim-signature|domainkey-signature|delivered-to|arc-.*|resent-.*)$/;
const isReplaced = (name: string): boolean => REPLACED_FIELDS.test(name) || OPTION_FIELDS.test(name);
const BODY_FIELDS = /^content-(?:type|transfer-encoding|disposition|id|description)$/;
const MAX_ADDRESS_FIELD = 32 * 1024;

/** Reads a submitted message. @throws MimeError if it cannot be passed on. */
export const readSubmittedMessage = (bytes: Buffer): SubmittedMessage => {
  const source = bytes.toString('latin1');
  const received = readEntity(source);
  const { fields } = received;
  const html = trackedPart(received);
  const plain = firstLeaf(
    received,
    leaf => leaf.type === 'text/plain' && leaf.disposition !== 'attachment' && (!leaf.isFile || leaf === received),
  );
  const text = plain && readableText(plain)?.toWellFormed();
  const sevenBit = toSevenBit(received);
  const options = submissionOptions(fields, wordsIn);
  return {
    from: mailboxesIn(fields, 'from'),
    to: mailboxesIn(fields, 'to'),
    cc: mailboxesIn(fields, 'cc'),
    replyTo: mailboxesIn(fields, 'reply-to', { keepsOthers: true }),
    subject: wordsIn(fieldValue(fields, 'subject') ?? ''),
    keptMessageId: options.keepsMessageId ? ownMessageId(fields) : undefined,
    options,
    html: html && textOf(html),
    text: text?.trim() ? text : undefined,
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
    .map(line => (line.name === 'To' && draft.hidesTo ? UNDISCLOSED : (unreadList(root.fields, line.name) ?? line)));
  const written = new Set(own.map(({ name }) => name.toLowerCase()));
  const passed = root.fields
    .filter(({ name }) => !written.has(name) && !isReplaced(name) && !BODY_FIELDS.test(name))
    .filter(field => field.name !== 'sender' || isOfDomain(field, draft.from.domain))
    .map(headerLine);
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

const UNDISCLOSED: HeaderLine = { name: 'To', line: 'To: undisclosed-recipients:;' };

/** The To or Cc of a message that names somebody without an Internet address, such as root; only the envelope counts. */
const unreadList = (fields: readonly MimeField[], name: string): HeaderLine | undefined => {
  const field = fields.find(each => each.name === name.toLowerCase());
  if (!field || !/^(?:to|cc)$/.test(field.name)) return undefined;
  return mailboxesIn([field], field.name, { keepsOthers: true }).every(isMailbox) ? undefined : headerLine(field);
};

const isMailbox = (text: string): boolean => {
  try {
    return parseMailbox(text) !== undefined;
  } catch (error) {
    if (error instanceof MailboxError) return false;
    throw error;
  }
};

const isOfDomain = ({ value }: MimeField, domain: string): boolean =>
  addressParser(value.slice(0, MAX_ADDRESS_FIELD), { flatten: true }).every(({ address = '' }) =>
    address.toLowerCase().endsWith(`@${domain}`),
  );

/** The first displayed HTML part; signed, encrypted or attached parts and files are never changed. */
const trackedPart = (root: MimeEntity): MimeEntity | undefined =>
  firstLeaf(
    root,
    leaf =>
      leaf.type === 'text/html' &&
      leaf.disposition !== 'attachment' &&
      (!leaf.isFile || leaf === root) &&
      textOf(leaf) !== undefined,
  );

const firstLeaf = (root: MimeEntity, fits: (leaf: MimeEntity) => boolean): MimeEntity | undefined =>
  leavesOf(root).find(fits);

const leavesOf = (entity: MimeEntity): MimeEntity[] => {
  if (typeof entity.content === 'string') return [entity];
  if (/^multipart\/(?:signed|encrypted)$/.test(entity.type)) return [{ ...entity, content: '' }];
  return entity.content.children.flatMap(leavesOf);
};

const ownMessageId = (fields: readonly MimeField[]): string | undefined =>
  /^<([\x21-\x3b\x3d\x3f-\x7e]{1,200}@[A-Za-z0-9.-]{1,255})>$/.exec(fieldValue(fields, 'message-id') ?? '')?.[1];

/** The mailboxes of a field. `keepsOthers`: also entries without an address, as they are. */
const mailboxesIn = (fields: readonly MimeField[], name: string, { keepsOthers = false } = {}): string[] =>
  fields
    .filter(field => field.name === name)
    .flatMap(({ value }) => addressParser(readRawText(value.slice(0, MAX_ADDRESS_FIELD)), { flatten: true }))
    .flatMap(({ name: displayName = '', address }) => {
      const shown = decodeHeaderText(displayName);
      if (!address) return keepsOthers && shown !== '' ? [shown] : [];
      return [shown ? `"${shown.replace(/["\\]/g, '\\$&')}" <${address}>` : address];
    });

const wordsIn = (value: string): string =>
  decodeHeaderText(readRawText(value)).replace(CONTROL_CHARACTERS, ' ').toWellFormed();

/** Everything that a reader may treat as a line break, and other control characters. */
const CONTROL_CHARACTERS = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/g;
