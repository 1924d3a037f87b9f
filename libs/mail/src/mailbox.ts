import { domainToASCII } from 'node:url';
import { decodeWords } from 'postal-mime';
import { encodeWords, structuredLine } from './header-text.js';

/** One mailbox (RFC 5321 §4.1.2, RFC 5322 §3.4, internationalised by RFC 6531). */
export interface Mailbox {
  /** Display name, decoded; absent if none was given. */
  readonly name?: string;
  /** `localPart@domain`, the domain in lower-case A-labels, for the envelope. */
  readonly address: string;
  readonly localPart: string;
  readonly domain: string;
  /** True if the local part is not ASCII, so that only a relay with SMTPUTF8 accepts it. */
  readonly needsSmtpUtf8: boolean;
}

/** Thrown by `parseMailbox`; the message may be shown to the API client: `malformed address "x": why`. */
export class MailboxError extends Error {
  override readonly name = 'MailboxError';

  constructor(
    readonly input: string,
    readonly reason: string,
  ) {
    super(`malformed address ${JSON.stringify(shortened(input))}: ${reason}`);
  }
}

const MAX_TEXT = 1_000;
const MAX_LOCAL_OCTETS = 64;
const MAX_DOMAIN_OCTETS = 255;
const MAX_ADDRESS_OCTETS = 254;
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const ATOM = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u{a0}-\u{10ffff}]+$/u;
const INVISIBLE = /[\p{Z}\p{C}]/u;
const DOTTED_PROVIDERS =
  /(?:^|\.)(?:docomo\.ne\.jp|ezweb\.ne\.jp|au\.com|softbank\.ne\.jp|i\.softbank\.jp|vodafone\.ne\.jp|disney\.ne\.jp|willcom\.com|pdx\.ne\.jp|ymobile\.ne\.jp|emnet\.ne\.jp|uqmobile\.jp|biz\.ezweb\.ne\.jp)$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads exactly one mailbox, bare or `Name <address>`, whose name needs no quotes. Groups, lists, comments in addresses,
 * routes and address literals are refused, and control characters before anything else is read.
 */
export function parseMailbox(text: string): Mailbox {
  const refuse = (reason: string): never => {
    throw new MailboxError(text, reason);
  };
  if (FORBIDDEN.test(text)) refuse('it contains a control character or a line break');
  if (text.length > MAX_TEXT) refuse(`it is longer than ${MAX_TEXT} characters`);
  const trimmed = text.trim();
  if (trimmed === '') refuse('it is empty');

  if (!trimmed.endsWith('>')) return readBare(trimmed, refuse);
  const open = trimmed.lastIndexOf('<');
  if (open < 0) refuse('the opening "<" is missing');
  const name = readDisplayName(trimmed.slice(0, open), refuse);
  const address = readAddress(trimmed.slice(open + 1, -1).trim(), refuse);
  return name === '' ? address : { name, ...address };
}

/** Formats an address header (`To: a, b`), folded; names are quoted or in encoded words if necessary. */
export function mailboxListLine(header: string, mailboxes: readonly Pick<Mailbox, 'name' | 'address'>[]): string {
  const last = mailboxes.length - 1;
  return structuredLine(
    header,
    mailboxes.flatMap((mailbox, index) => {
      const tokens = mailboxTokens(mailbox);
      if (index < last) tokens.push(`${tokens.pop()},`);
      return tokens;
    }),
  );
}

/** The normalized form of an address, for use as a map key. Mailboxes never differ by letter case only. */
export function addressKey(address: string): string {
  const key = address.trim().normalize('NFC').toLowerCase();
  if (!key.startsWith('"') && !/[^\x00-\x7f]/.test(key)) return key;
  // Reports write the domain in U-labels, or quote a local part that needs no quotes (RFC 6533, RFC 5321 §4.1.2).
  const at = key.lastIndexOf('@');
  const [localPart, domain] = [key.slice(0, at), key.slice(at + 1)];
  return `${unquoted(localPart)}@${domainToASCII(domain) || domain}`;
}

function unquoted(localPart: string): string {
  const inner = /^"(.*)"$/su.exec(localPart)?.[1]?.replace(/\\(.)/gsu, '$1');
  return inner !== undefined && isDotAtom(inner) ? inner : localPart;
}

function isDotAtom(text: string): boolean {
  return text.split('.').every(atom => ATOM.test(atom) && !INVISIBLE.test(atom));
}

function readBare(text: string, refuse: Refuse): Mailbox {
  const unquoted = text.replace(/"(?:[^"\\]|\\.)*"/gu, '');
  const rest = /<[^<>]*>\s*([^<>]*)$/u.exec(unquoted)?.[1];
  if (rest !== undefined) refuse(/^[,;]/.test(rest) ? MORE_THAN_ONE : 'there is text after ">"');
  if (unquoted.includes('<')) refuse('the closing ">" is missing');
  return readAddress(text, refuse);
}

function readAddress(text: string, refuse: Refuse): Mailbox {
  if (text === '') return refuse('the address is empty');
  const { localPart, rest } = text.startsWith('"')
    ? quotedLocalPart(text, refuse)
    : (quotedByProvider(text) ?? plainLocalPart(text, refuse));
  if (Buffer.byteLength(localPart) > MAX_LOCAL_OCTETS) {
    return refuse(`the part before "@" is longer than ${MAX_LOCAL_OCTETS} octets`);
  }
  const domain = readDomain(rest, refuse);
  const address = `${localPart}@${domain}`;
  if (Buffer.byteLength(address) > MAX_ADDRESS_OCTETS) {
    return refuse(`it is longer than ${MAX_ADDRESS_OCTETS} octets`);
  }
  return { address, localPart, domain, needsSmtpUtf8: /[^\x00-\x7f]/.test(localPart) };
}

function plainLocalPart(text: string, refuse: Refuse): { localPart: string; rest: string } {
  const at = text.indexOf('@');
  if (at < 0) return refuse(text.includes(':') ? 'group syntax is not allowed' : 'it has no "@"');
  const localPart = text.slice(0, at);
  if (localPart === '') return refuse('there is nothing before "@"');
  if (/[()]/.test(localPart)) return refuse('comments are not allowed');
  if (/[,;]/.test(localPart)) return refuse(MORE_THAN_ONE);
  if (localPart.includes(':')) return refuse('group syntax is not allowed');
  for (const atom of localPart.split('.')) {
    if (atom === '') return refuse('a dot is misplaced before "@"');
    if (!ATOM.test(atom) || INVISIBLE.test(atom))
      return refuse('the part before "@" has a character that needs quotes');
  }
  return { localPart, rest: text.slice(at + 1) };
}

/**
 * Mobile carriers in Japan gave out addresses with dots at the end of the local part or beside each other. They are valid in
 * quotes only (RFC 5321 §4.1.2).
 */
function quotedByProvider(text: string): { localPart: string; rest: string } | undefined {
  const [, localPart = '', rest = ''] = /^([A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.]+)@([A-Za-z0-9.-]+)$/.exec(text) ?? [];
  if (!DOTTED_PROVIDERS.test(rest) || isDotAtom(localPart) || /^\.*$/.test(localPart)) return undefined;
  return { localPart: `"${localPart}"`, rest };
}

/** Removes unnecessary quotes of a local part, so that equal mailboxes have equal addresses. */
function quotedLocalPart(text: string, refuse: Refuse): { localPart: string; rest: string } {
  const { value, end } = readQuoted(text, 0, refuse);
  if (text[end] !== '@') return refuse('"@" must follow the quoted part');
  if (value === '') return refuse('there is nothing before "@"');
  // Many servers take an angle bracket for the end of the SMTP path.
  if (/[<>]/.test(value)) return refuse('angle brackets are not allowed before "@"');
  const localPart = isDotAtom(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return { localPart, rest: text.slice(end + 1) };
}

function readDomain(text: string, refuse: Refuse): string {
  if (text === '') return refuse('there is nothing after "@"');
  if (text.startsWith('[')) return refuse('address literals are not allowed');
  if (/[,;]/.test(text)) return refuse(MORE_THAN_ONE);
  if (text.includes('@')) return refuse('it has more than one "@"');
  if (/[()]/.test(text)) return refuse('comments are not allowed');
  if (/[\x00-\x7f]/.test(text.replace(/[A-Za-z0-9.-]/g, '')) || INVISIBLE.test(text)) {
    return refuse('the domain has a character that is not allowed');
  }
  const lower = text.toLowerCase();
  const domain = /[^\x00-\x7f]|xn--/.test(lower) ? domainToASCII(lower) : lower;
  if (domain === '') return refuse('the domain is not a valid internationalised name');
  if (domain.length > MAX_DOMAIN_OCTETS) return refuse(`the domain is longer than ${MAX_DOMAIN_OCTETS} octets`);
  const labels = domain.split('.');
  if (labels.includes('')) return refuse('a dot is misplaced in the domain');
  if (!labels.every(label => LABEL.test(label))) return refuse('the domain has an invalid label');
  if (labels.length < 2) return refuse('the domain is not fully qualified');
  if (/^\d+$/.test(labels.at(-1)!)) return refuse('the domain ends in a number');
  return domain;
}

function mailboxTokens({ name, address }: Pick<Mailbox, 'name' | 'address'>): string[] {
  if (name === undefined || name === '') return [address];
  return [...nameTokens(name), `<${address}>`];
}

function nameTokens(name: string): string[] {
  const isAscii = /^[\x20-\x7e]+$/.test(name);
  if (isAscii && !name.includes('=?') && name.length <= 60) {
    const isPhrase = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/.test(name);
    return isPhrase ? name.split(' ') : [`"${name.replace(/["\\]/g, '\\$&')}"`];
  }
  return encodeWords(name);
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

/** Throws with the reason why the text is not a mailbox. */
export type Refuse = (reason: string) => never;

/** The reason for a list of addresses instead of a single one. */
export const MORE_THAN_ONE = 'it contains more than one address; each address needs an entry of its own';

const ADDRESS_IN_BRACKETS = /<[^<>]*@[^<>]*>/u;
const NOT_IN_A_NAME = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Embeddings, overrides and isolates reverse the text after the name (Unicode UAX #9). */
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/u;

/**
 * Reads the display name in front of `<address>`. A JSON string needs no quotes around commas, colons and brackets.
 * Quoted strings lose their quotes, and encoded words (RFC 2047) are decoded, so that they are not encoded twice.
 */
export function readDisplayName(text: string, refuse: Refuse): string {
  const { words, unquoted } = readWords(text, refuse);
  const pieces = unquoted.split(/[,;]/u);
  const isList = pieces.length > 1 && pieces.some(piece => /\S@\S/u.test(piece));
  if (isList || ADDRESS_IN_BRACKETS.test(unquoted)) refuse(MORE_THAN_ONE);
  const given = words.join(' ').trim();
  const name = given.includes('=?') ? decodeWords(given).trim() : given;
  if (NOT_IN_A_NAME.test(name)) refuse('its name contains a control character or a line break');
  const bidi = BIDI_CONTROL.exec(name)?.[0];
  if (bidi) {
    refuse(`its name contains U+${bidi.charCodeAt(0).toString(16).toUpperCase()}, which changes the direction of text`);
  }
  return name;
}

/** Reads the quoted string that begins at `start`; `end` is the position after it. */
export function readQuoted(text: string, start: number, refuse: Refuse): { value: string; end: number } {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') return { value, end: at + 1 };
    if (character === '\\') at++;
    value += text[at] ?? '';
  }
  return refuse('a quoted string is not closed');
}

/** A quotation mark opens a quoted string only at the start of a word. */
function readWords(text: string, refuse: Refuse): { words: string[]; unquoted: string } {
  const words: string[] = [];
  let unquoted = '';
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') {
      const { value, end } = readQuoted(text, at, refuse);
      words.push(value);
      at = end;
    } else {
      const word = /^\s+|^\S+/u.exec(text.slice(at))![0];
      if (word.trim() !== '') words.push(word);
      unquoted += word;
      at += word.length;
    }
  }
  return { words, unquoted };
}
