import { createHash } from 'node:crypto';
import { type HeaderLine, unstructuredLine } from './header-text.js';
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

/** Thrown for a draft that cannot be composed; a draft that passes the validation of the API never causes it. */
export class CompositionError extends Error {
  override readonly name = 'CompositionError';
}

/** Shorter bodies cost less to encode again for every recipient. */
const SHARED_FROM = 64 * 1024;
const EXTRA_HEADER = /^X-[A-Za-z0-9-]{1,70}$/i;
/** The header with the signed id of the copy; callers cannot set it. */
export const COPY_ID_HEADER = 'X-Postern-Id';
const UNSUBSCRIBE_URL = /^https?:\/\/[\x21-\x3b\x3d\x3f-\x7e]{1,900}$/;
const MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+@[A-Za-z0-9.-]+$/;

/** Composes a message once, so that each recipient's copy costs only the encoding of its own HTML. */
export function prepareMessage(draft: MessageDraft): PreparedMessage {
  const { html } = draft;
  const text = draft.text ?? (html === undefined ? undefined : textFromHtml(html));
  if (text === undefined) throw new CompositionError('a message needs html or text');

  const addressed = [draft.from, ...draft.to, ...(draft.cc ?? []), ...(draft.replyTo ?? [])];
  const needsSmtpUtf8 = addressed.some(mailbox => mailbox.needsSmtpUtf8);
  const plain = encodePart('text', text);
  if (html === undefined) {
    const headerLines = [...ownHeaders(draft), ...partHeaders('text/plain', plain.encoding)];
    const body = Buffer.from(`${plain.encoded}\r\n`, 'latin1');
    return { headerLines, needsSmtpUtf8, copy: () => ({ headerLines, body, needsSmtpUtf8 }) };
  }

  const boundary = boundaryFor(draft.messageId);
  const headerLines = [
    ...ownHeaders(draft),
    { name: 'Content-Type', line: `Content-Type: multipart/alternative;\r\n boundary="${boundary}"` },
  ];
  const head = `--${boundary}\r\n${partHead('text/plain', plain.encoding)}${plain.encoded}\r\n--${boundary}\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const copyOfPieces = sharedCopies({ headerLines, needsSmtpUtf8 }, html, head, tail);
  const copy = (own: string | readonly string[] = html): ComposedMessage => {
    if (typeof own !== 'string' && html.length >= SHARED_FROM) return copyOfPieces(own);
    const rich = encodePart('html', typeof own === 'string' ? own : own.join(''));
    const body = Buffer.from(head + partHead('text/html', rich.encoding) + rich.encoded + tail, 'latin1');
    return { headerLines, body, needsSmtpUtf8 };
  };
  return { headerLines, needsSmtpUtf8, copy };
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
    // Messages that an earlier release accepted may contain this header.
    if (name.toLowerCase() === COPY_ID_HEADER.toLowerCase()) continue;
    if (!EXTRA_HEADER.test(name)) throw new CompositionError(`header ${JSON.stringify(name)} is not an X- header`);
    lines.push(textHeader(name, value));
  }
  lines.push(...unsubscribeHeaders(draft.unsubscribeUrl));
  if (draft.autoSubmitted) lines.push({ name: 'Auto-Submitted', line: 'Auto-Submitted: auto-generated' });
  lines.push({ name: 'MIME-Version', line: 'MIME-Version: 1.0' });
  return lines;
}

function unsubscribeHeaders(url: string | undefined): HeaderLine[] {
  if (url === undefined) return [];
  if (!UNSUBSCRIBE_URL.test(url)) throw new CompositionError('the unsubscribe URL is malformed');
  const where = { name: 'List-Unsubscribe', line: `List-Unsubscribe:\r\n <${url}>` };
  if (!url.startsWith('https:')) return [where];
  const how = 'List-Unsubscribe-Post';
  return [where, { name: how, line: `${how}: List-Unsubscribe=One-Click` }];
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
