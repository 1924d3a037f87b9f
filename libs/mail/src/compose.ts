import { createHash } from 'node:crypto';
import { type Attachment, frameWith } from './attachments.js';
import { CompositionError } from './composition-error.js';
import { COPY_ID_HEADER } from './copy-id-header.js';
import { type HeaderLine, structuredLine, unstructuredLine } from './header-text.js';
import { type ListUnsubscribe, unsubscribeFromUrl, unsubscribeHeaders } from './list-unsubscribe.js';
import { type Mailbox, mailboxListLine } from './mailbox.js';
import { type BodyChunk, SharedBody } from './shared-body.js';
import { textFromHtml } from './text-from-html.js';
import { encodeText, encodingOf } from './transfer-encoding.js';

/** The content of a message. Bcc recipients are only in the envelope. */
export interface MessageDraft {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly replyTo?: readonly Mailbox[];
  readonly subject: string;
  /** At least one of `html` and `text`; a missing text is derived from the HTML. */
  readonly html?: string;
  readonly text?: string;
  /** Extra headers; names must be `X-…`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `left@right`, without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly attachments?: readonly Attachment[];
  /** Message-IDs without angle brackets. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly listUnsubscribe?: ListUnsubscribe;
  /** The URL to unsubscribe (RFC 2369); an https URL supports one-click unsubscription (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** True for mail that a program sends, so that no automatic reply answers it (RFC 3834 §5). */
  readonly autoSubmitted?: boolean;
}

/** A message ready for signing and handing over. `body` is 7-bit with CRLF line ends. */
export interface ComposedMessage {
  readonly headerLines: readonly HeaderLine[];
  readonly body: Buffer;
  /** The body of a large message in parts that its copies share; `body` joins them. */
  readonly shared?: { readonly chunks: readonly BodyChunk[]; readonly canonicalHash: () => string };
  /** True when an address in the headers cannot be written in ASCII (RFC 6532). */
  readonly needsSmtpUtf8: boolean;
}

/** The parts that the copies of one message share: the headers and the encoded text part. */
export interface PreparedMessage {
  readonly headerLines: readonly HeaderLine[];
  readonly needsSmtpUtf8: boolean;
  /**
   * The copy with this HTML, which differs by recipient because of tracking; defaults to the HTML of the draft. HTML may be
   * given in pieces; pieces with an even index are the same in all copies and are processed once.
   */
  copy(html?: string | readonly string[]): ComposedMessage;
}

/** Shorter bodies cost less to encode again for every recipient. */
const SHARED_FROM = 64 * 1024;
const EXTRA_HEADER = /^X-[A-Za-z0-9-]{1,70}$/i;
/** Other systems put more into their ids than we do. */
const REFERENCED_ID = /^[\x21-\x3b\x3d\x3f-\x7e]{1,998}$/;
const MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+@[A-Za-z0-9.-]+$/;

/** Composes a message once, so that each recipient's copy costs only the encoding of its own HTML. */
export function prepareMessage(draft: MessageDraft): PreparedMessage {
  const { html } = draft;
  const text = draft.text ?? (html === undefined ? undefined : textFromHtml(html));
  if (text === undefined) throw new CompositionError('a message needs html or text');

  const addressed = [draft.from, ...draft.to, ...(draft.cc ?? []), ...(draft.replyTo ?? [])];
  const needsSmtpUtf8 = addressed.some(mailbox => mailbox.needsSmtpUtf8);
  const plain = encodePart('text', text);
  const framed = framesOf(draft, html !== undefined);
  const head = framed.outside.head;
  const tail = `${framed.outside.tail}\r\n`;
  if (html === undefined) {
    const own = framed.outside.contentType ?? partHeaders('text/plain', plain.encoding);
    const headerLines = [...ownHeaders(draft), ...own];
    const part = framed.outside.contentType ? partHead('text/plain', plain.encoding) : '';
    const body = Buffer.from(`${head}${part}${plain.encoded}${tail}`, 'latin1');
    return { headerLines, needsSmtpUtf8, copy: () => ({ headerLines, body, needsSmtpUtf8 }) };
  }

  const boundary = boundaryFor(draft.messageId);
  const alternative = { name: 'Content-Type', line: `Content-Type: multipart/alternative;\r\n boundary="${boundary}"` };
  const headerLines = [...ownHeaders(draft), ...(framed.outside.contentType ?? [alternative])];
  const before = [
    head,
    framed.outside.contentType ? `${alternative.line}\r\n\r\n` : '',
    `--${boundary}\r\n${partHead('text/plain', plain.encoding)}${plain.encoded}\r\n--${boundary}\r\n`,
    framed.aroundHtml.head,
  ].join('');
  const after = `${framed.aroundHtml.tail}\r\n--${boundary}--${tail}`;
  const copyOfPieces = sharedCopies({ headerLines, needsSmtpUtf8 }, html, before, after);
  const isLarge = html.length + after.length >= SHARED_FROM;
  const copy = (own: string | readonly string[] = html): ComposedMessage => {
    if (typeof own !== 'string' && isLarge) return copyOfPieces(own);
    const rich = encodePart('html', typeof own === 'string' ? own : own.join(''));
    const body = Buffer.from(before + partHead('text/html', rich.encoding) + rich.encoded + after, 'latin1');
    return { headerLines, body, needsSmtpUtf8 };
  };
  return { headerLines, needsSmtpUtf8, copy };
}

/** What stands around the text parts of a message with files: inline images beside the HTML part, other files outside. */
function framesOf({ attachments = [], messageId }: MessageDraft, hasHtml: boolean) {
  const inline = hasHtml ? attachments.filter(({ contentId }) => contentId !== undefined) : [];
  const others = attachments.filter(file => !inline.includes(file));
  const mixed = others.length > 0 ? frameWith('mixed', boundaryFor(`mixed ${messageId}`), others) : undefined;
  const related = inline.length > 0 ? frameWith('related', boundaryFor(`related ${messageId}`), inline) : undefined;
  return {
    outside: {
      contentType: mixed && [{ name: 'Content-Type', line: mixed.contentType }],
      head: mixed?.head ?? '',
      tail: mixed?.tail ?? '',
    },
    aroundHtml: { head: related ? `${related.contentType}\r\n\r\n${related.head}` : '', tail: related?.tail ?? '' },
  };
}

/** Copies of a large message: the shared parts are encoded once. */
function sharedCopies(
  message: Pick<ComposedMessage, 'headerLines' | 'needsSmtpUtf8'>,
  html: string,
  head: string,
  tail: string,
): (pieces: readonly string[]) => ComposedMessage {
  let shared: SharedBody | undefined;
  return pieces => {
    if (!shared) {
      checkContent('html', html);
      const encoding = encodingOf(html);
      shared = new SharedBody(encoding, head + partHead('text/html', encoding), tail);
    }
    const body = shared;
    const chunks = body.copy(pieces);
    return {
      ...message,
      get body() {
        return Buffer.concat(chunks.map(({ bytes }) => bytes));
      },
      shared: { chunks, canonicalHash: () => body.hashOf(chunks) },
    };
  };
}

/** Composes a message with a single copy. */
export function composeMessage(draft: MessageDraft): ComposedMessage {
  return prepareMessage(draft).copy();
}

/** The bytes of the message before dot-stuffing, with headers such as DKIM-Signature in front. */
export function messageBytes(message: ComposedMessage, prepend: readonly HeaderLine[] = []): Buffer {
  return Buffer.concat([headOf(message, prepend), message.body]);
}

/** The same in parts that end with a line; the copies of a large message share them, so that none is copied. */
export function messageParts(message: ComposedMessage, prepend: readonly HeaderLine[] = []): readonly Buffer[] {
  if (!message.shared) return [messageBytes(message, prepend)];
  return [headOf(message, prepend), ...message.shared.chunks.map(({ bytes }) => bytes)];
}

function headOf(message: ComposedMessage, prepend: readonly HeaderLine[]): Buffer {
  let head = '';
  for (const { line } of prepend) head += `${line}\r\n`;
  for (const { line } of message.headerLines) head += `${line}\r\n`;
  head += '\r\n';
  return Buffer.from(head, message.needsSmtpUtf8 ? 'utf8' : 'latin1');
}

function ownHeaders(draft: MessageDraft): HeaderLine[] {
  if (Number.isNaN(draft.date.getTime())) throw new CompositionError('the date is invalid');
  if (!MESSAGE_ID.test(draft.messageId)) throw new CompositionError('the message id is malformed');
  if (draft.to.length === 0) throw new CompositionError('a message needs a recipient');
  const lines: HeaderLine[] = [
    addressHeader('From', [draft.from]),
    addressHeader('To', draft.to),
    ...(draft.cc?.length ? [addressHeader('Cc', draft.cc)] : []),
    ...(draft.replyTo?.length ? [addressHeader('Reply-To', draft.replyTo)] : []),
    textHeader('Subject', draft.subject),
    { name: 'Date', line: `Date: ${draft.date.toUTCString().replace('GMT', '+0000')}` },
    { name: 'Message-ID', line: `Message-ID: <${draft.messageId}>` },
  ];
  for (const [name, value] of Object.entries(draft.headers ?? {})) {
    // Each copy has its own.
    if (name.toLowerCase() === COPY_ID_HEADER.toLowerCase()) continue;
    if (!EXTRA_HEADER.test(name)) throw new CompositionError(`header ${JSON.stringify(name)} is not an X- header`);
    lines.push(textHeader(name, value));
  }
  if (draft.inReplyTo !== undefined) lines.push(idsHeader('In-Reply-To', [draft.inReplyTo]));
  if (draft.references?.length) lines.push(idsHeader('References', draft.references));
  lines.push(...unsubscribeHeaders(draft.listUnsubscribe ?? unsubscribeFromUrl(draft.unsubscribeUrl)));
  if (draft.autoSubmitted) lines.push({ name: 'Auto-Submitted', line: 'Auto-Submitted: auto-generated' });
  lines.push({ name: 'MIME-Version', line: 'MIME-Version: 1.0' });
  return lines;
}

function idsHeader(name: string, ids: readonly string[]): HeaderLine {
  if (!ids.every(id => REFERENCED_ID.test(id))) throw new CompositionError(`a Message-ID in ${name} is malformed`);
  return {
    name,
    line: structuredLine(
      name,
      ids.map(id => `<${id}>`),
    ),
  };
}

function addressHeader(name: string, mailboxes: readonly Mailbox[]): HeaderLine {
  for (const { name: displayName = '', address } of mailboxes) {
    if (/[\r\n\0]/.test(displayName) || /[\r\n\0<>]/.test(address)) {
      throw new CompositionError(`an address in ${name} contains a line break, a NUL or an angle bracket`);
    }
  }
  return { name, line: mailboxListLine(name, mailboxes) };
}

function textHeader(name: string, value: string): HeaderLine {
  if (/[\r\n\0]/.test(value)) throw new CompositionError(`${name} contains a line break or a NUL`);
  return { name, line: unstructuredLine(name, value) };
}

function encodePart(what: 'text' | 'html', content: string): ReturnType<typeof encodeText> {
  checkContent(what, content);
  return encodeText(content);
}

function checkContent(what: 'text' | 'html', content: string): void {
  if (content.includes('\0')) throw new CompositionError(`the ${what} contains a NUL`);
}

function partHeaders(type: string, encoding: string): HeaderLine[] {
  return [
    { name: 'Content-Type', line: `Content-Type: ${type}; charset=utf-8` },
    { name: 'Content-Transfer-Encoding', line: `Content-Transfer-Encoding: ${encoding}` },
  ];
}

function partHead(type: string, encoding: string): string {
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
}

/** `=_` occurs neither in quoted-printable nor in base64 (RFC 2045 §6.7), so no content can contain the boundary. */
function boundaryFor(messageId: string): string {
  return `=_${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`;
}
