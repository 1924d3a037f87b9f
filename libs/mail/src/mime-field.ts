import { addressParser } from 'postal-mime';
import { decodeHeaderText, readRawText } from './encoded-words.js';
import { structuredLine, unstructuredLine } from './header-text.js';
import { mailboxListLine } from './mailbox.js';

/** One header field, with its folded lines and without the closing CRLF. */
export interface MimeField {
  /** Lower case. */
  readonly name: string;
  readonly line: string;
  /** Unfolded. */
  readonly value: string;
}

/** RFC 5321 §4.5.3.1.6, without the CRLF. */
const MAX_LINE = 998;
const MAX_PARAMETER = 60;
const MAX_VALUE = 64 * 1024;
const ADDRESS_FIELDS =
  /^(?:sender|errors-to|return-receipt-to|disposition-notification-to|x-sender|mail-(?:reply|followup)-to)$/;
const TOKEN_FIELDS = /^(?:references|in-reply-to|content-id|list-\S+|x-\S+)$/;

/** The fields of a header; lines that are not fields are left out. */
export const readFields = (head: string): MimeField[] => {
  const fields: MimeField[] = [];
  for (const line of head.split(/\r\n(?![ \t])/)) {
    const name = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/.exec(line)?.[1];
    if (name === undefined) continue;
    const value = line.slice(line.indexOf(':') + 1).replace(/\r\n/g, '');
    fields.push({ name: name.toLowerCase(), line, value: value.trim() });
  }
  return fields;
};

/** The value of the first field with this lower-case name. */
export const fieldValue = (fields: readonly MimeField[], name: string): string | undefined =>
  fields.find(field => field.name === name)?.value;

/** The type and the parameters of a Content-Type. */
export const readContentType = (value: string): { type: string; parameters: ReadonlyMap<string, string> } => {
  const type = /^\s*([^\s;/()]{1,100}\/[^\s;()]{1,100})/.exec(value)?.[1]?.toLowerCase() ?? 'text/plain';
  const parameters = new Map<string, string>();
  for (const [name, text] of parametersOf(value)) if (!parameters.has(name)) parameters.set(name, text);
  return { type, parameters };
};

/** The same field with another value. */
export const withValue = ({ name, line }: MimeField, value: string): MimeField => ({
  name,
  line: `${line.slice(0, line.indexOf(':')).trim()}: ${value}`,
  value,
});

/** True for ASCII without NUL in lines that SMTP can carry. */
export const isSevenBit = (text: string): boolean =>
  /^[\x01-\x7f]*$/.test(text) && !text.split('\r\n').some(line => line.length > MAX_LINE);

/** The field as 7-bit lines of at most 998 characters: encoded where it is not 7-bit, folded where it is too long. */
export function sevenBitField(field: MimeField): MimeField {
  if (isSevenBit(field.line)) return field;
  const title = field.line.slice(0, field.line.indexOf(':')).trim();
  return { ...field, line: sevenBitLine(title, field) };
}

function sevenBitLine(title: string, { name, value }: MimeField): string {
  if (name === 'content-type') return parameterLine(title, readContentType(value).type, parametersOf(value));
  if (name === 'content-disposition') {
    const disposition = /^\s*([\w-]{1,40})/.exec(value)?.[1] ?? 'attachment';
    return parameterLine(title, disposition, parametersOf(value));
  }
  const isAscii = /^[\t\x20-\x7e]*$/.test(value);
  const tokens = value.split(/[ \t]+/).filter(token => token !== '');
  if (isAscii && TOKEN_FIELDS.test(name) && tokens.every(token => token.length < MAX_LINE - 100)) {
    return structuredLine(title, tokens);
  }
  if (ADDRESS_FIELDS.test(name)) {
    const mailboxes = addressParser(readRawText(value.slice(0, MAX_VALUE)), { flatten: true }).flatMap(
      ({ name: displayName = '', address = '' }) =>
        /^[\x21-\x7e]+$/.test(address) ? [{ name: decodeHeaderText(displayName), address }] : [],
    );
    if (mailboxes.length > 0) return mailboxListLine(title, mailboxes);
  }
  return unstructuredLine(title, decodeHeaderText(readRawText(value)).replaceAll('\0', ''));
}

/**
 * A structured value with its parameters, those that are not short ASCII in the encoding of RFC 2231. Values are text, or
 * bytes as latin1.
 */
export function parameterLine(title: string, main: string, given: readonly (readonly [string, string])[]): string {
  const seen = new Set<string>();
  const parameters = given.flatMap(([name, text]) => {
    if (seen.has(name)) return [];
    seen.add(name);
    return parameterTexts(name, text);
  });
  return [`${title}: ${main.replace(/[^\x21-\x7e]/g, '')}`, ...parameters].join(';\r\n ');
}

function parameterTexts(name: string, raw: string): string[] {
  const text = readRawText(raw);
  if (/^[\x20-\x7e]*$/.test(text) && text.length <= MAX_LINE / 2) {
    const isToken = /^[\w!#$%&'*+.^`{|}~-]+$/.test(text);
    return [isToken ? `${name}=${text}` : `${name}="${text.replace(/["\\]/g, '\\$&')}"`];
  }
  const pieces: string[] = [''];
  for (const character of text) {
    const encoded = /^[A-Za-z0-9._-]$/.test(character) ? character : percentEncoded(character);
    if (pieces.at(-1)!.length + encoded.length > MAX_PARAMETER) pieces.push('');
    pieces[pieces.length - 1] += encoded;
  }
  if (pieces.length === 1) return [`${name}*=utf-8''${pieces[0]}`];
  return pieces.map((piece, index) => `${name}*${index}*=${index === 0 ? "utf-8''" : ''}${piece}`);
}

const percentEncoded = (character: string): string =>
  [...Buffer.from(character, 'utf8')].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Parameters by lower-case name, in order. An unquoted value may contain blanks, as many programs write file names. */
function parametersOf(value: string): [name: string, text: string][] {
  const found: [string, string][] = [];
  const pattern = /;\s*([A-Za-z0-9*-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g;
  for (const [, name = '', quoted, bare = ''] of value.slice(0, MAX_VALUE).matchAll(pattern)) {
    found.push([name.toLowerCase(), quoted === undefined ? bare.trim() : quoted.replace(/\\(.)/g, '$1')]);
  }
  return found;
}
