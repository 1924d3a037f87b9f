import { encodeText } from './transfer-encoding.js';

/**
 * A MIME entity as a tree that renders to the same bytes, so that attachments and structure pass through unchanged. Texts
 * are latin1 strings of bytes with CRLF line ends.
 */
export interface MimeEntity {
  readonly fields: readonly MimeField[];
  /** `type/subtype`, lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly disposition: string;
  readonly content: string | MimeMultipart;
}

/** One header field, with its folded lines and without the closing CRLF. */
export interface MimeField {
  /** Lower case. */
  readonly name: string;
  readonly line: string;
  /** Unfolded. */
  readonly value: string;
}

interface MimeMultipart {
  readonly boundary: string;
  readonly preamble: string;
  readonly children: readonly MimeEntity[];
  readonly epilogue: string;
}

/** The message is not MIME that can be passed on. */
export class MimeError extends Error {
  override readonly name = 'MimeError';
}

const MAX_PARTS = 500;
const MAX_DEPTH = 20;
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_LINE = 998;

/** Reads a message with line ends of any kind. @throws MimeError for one with too many parts, levels or header bytes. */
export const readEntity = (source: string): MimeEntity => {
  const budget = { parts: MAX_PARTS };
  return read(source.replace(/\r\n|\r|\n/g, '\r\n'), 0, budget);
};

const read = (source: string, depth: number, budget: { parts: number }): MimeEntity => {
  if (depth > MAX_DEPTH) throw new MimeError(`more than ${MAX_DEPTH} levels of parts are not accepted`);
  if (budget.parts-- <= 0) throw new MimeError(`more than ${MAX_PARTS} parts are not accepted`);
  const end = source.startsWith('\r\n') ? 0 : source.indexOf('\r\n\r\n');
  const head = end < 0 ? source : source.slice(0, end);
  if (head.length > MAX_HEADER_BYTES) throw new MimeError('the header is too large');
  const fields = readFields(head);
  const body = end < 0 ? '' : source.slice(end === 0 ? 2 : end + 4);
  const { type, parameters } = readContentType(fieldValue(fields, 'content-type') ?? 'text/plain');
  const boundary = parameters.get('boundary');
  const content = type.startsWith('multipart/') && boundary ? split(body, boundary, depth, budget) : body;
  const disposition = /^\s*([\w-]+)/.exec(fieldValue(fields, 'content-disposition') ?? '')?.[1]?.toLowerCase() ?? '';
  return { fields, type, parameters, disposition, content };
};

const split = (body: string, boundary: string, depth: number, budget: { parts: number }): MimeMultipart => {
  const delimiter = `\r\n--${boundary}`;
  const text = `\r\n${body}`;
  const pieces: string[] = [];
  let epilogue = '';
  let start = 0;
  for (;;) {
    const at = nextDelimiter(text, delimiter, start);
    pieces.push(text.slice(start, at < 0 ? undefined : at));
    if (at < 0) break;
    const lineEnd = text.indexOf('\r\n', at + delimiter.length);
    if (text.startsWith('--', at + delimiter.length)) {
      epilogue = lineEnd < 0 ? '' : text.slice(lineEnd + 2);
      break;
    }
    if (pieces.length > MAX_PARTS) throw new MimeError(`more than ${MAX_PARTS} parts are not accepted`);
    // The line end stays with the next delimiter, so that an empty part is found.
    start = lineEnd < 0 ? text.length : lineEnd;
  }
  const [preamble = '', ...parts] = pieces;
  const children = parts.map(part => read(part.slice(2), depth + 1, budget));
  return { boundary, preamble: preamble.slice(2), children, epilogue };
};

/** A delimiter is a whole line, with blanks after it (RFC 2046 §5.1.1). */
const nextDelimiter = (text: string, delimiter: string, from: number): number => {
  for (let at = text.indexOf(delimiter, from); at >= 0; at = text.indexOf(delimiter, at + 2)) {
    const lineEnd = text.indexOf('\r\n', at + delimiter.length);
    const rest = text.slice(
      at + delimiter.length,
      lineEnd < 0 ? undefined : Math.min(lineEnd, at + delimiter.length + 80),
    );
    if (/^(--)?[ \t]*$/.test(rest)) return at;
  }
  return -1;
};

const readFields = (head: string): MimeField[] => {
  const fields: MimeField[] = [];
  for (const line of head.split(/\r\n(?![ \t])/)) {
    const name = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/.exec(line)?.[1];
    if (name === undefined) continue;
    const value = line.slice(line.indexOf(':') + 1).replace(/\r\n/g, '');
    fields.push({ name: name.toLowerCase(), line, value: value.trim() });
  }
  return fields;
};

const readContentType = (value: string): { type: string; parameters: ReadonlyMap<string, string> } => {
  const type = /^\s*([^\s;/()]{1,100}\/[^\s;()]{1,100})/.exec(value)?.[1]?.toLowerCase() ?? 'text/plain';
  const parameters = new Map<string, string>();
  for (const match of value.matchAll(/;\s*([A-Za-z0-9*-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)) {
    const name = (match[1] ?? '').toLowerCase();
    if (!parameters.has(name)) parameters.set(name, (match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return { type, parameters };
};

/** The value of the first field with this lower-case name. */
export const fieldValue = (fields: readonly MimeField[], name: string): string | undefined =>
  fields.find(field => field.name === name)?.value;

/** The text of a leaf with its transfer encoding and charset undone; undefined if it is not valid in its charset. */
export const textOf = ({ fields, parameters, content }: MimeEntity): string | undefined => {
  if (typeof content !== 'string') return undefined;
  try {
    const decoder = new TextDecoder(parameters.get('charset') ?? 'utf-8', { fatal: true });
    const text = decoder.decode(bytesOf(content, encodingOf(fields)));
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};

/** The tree as 7-bit text with CRLF line ends: other leaves become quoted-printable or base64. */
export const toSevenBit = (entity: MimeEntity, isSigned = false): MimeEntity => {
  const { content, type } = entity;
  if (typeof content !== 'string') {
    const signed = isSigned || type === 'multipart/signed';
    const children = content.children.map(child => toSevenBit(child, signed));
    const [preamble, epilogue] = [content.preamble, content.epilogue].map(text => (isSevenBit(text) ? text : ''));
    return withEncoding(
      { ...entity, content: { ...content, preamble: preamble!, epilogue: epilogue!, children } },
      '7bit',
    );
  }
  const fields = entity.fields.filter(({ line }) => isSevenBit(line));
  if (isSevenBit(content))
    return isEncodedAs(fields, ['8bit', 'binary'])
      ? withEncoding({ ...entity, fields }, '7bit')
      : { ...entity, fields };
  if (isSigned) throw new MimeError('a signed part must be 7-bit (RFC 1847)');
  if (type === 'message/rfc822') throw new MimeError('an attached message must be 7-bit, because none offers 8BITMIME');
  const encoded = bytesOf(content, encodingOf(fields))
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\r\n');
  return withEncoding({ ...entity, fields, content: encoded }, 'base64');
};

/** The entity with this HTML in UTF-8 as its content. */
export const withHtml = (entity: MimeEntity, html: string): MimeEntity => {
  const { encoding, encoded } = encodeText(html);
  const line = 'Content-Type: text/html; charset=utf-8';
  const fields = entity.fields.map(field =>
    field.name === 'content-type' ? { ...field, line, value: line.slice('Content-Type: '.length) } : field,
  );
  return withEncoding({ ...entity, fields, content: encoded }, encoding);
};

/** Replaces a leaf of the tree, found by identity. */
export const replaced = (entity: MimeEntity, leaf: MimeEntity, by: MimeEntity): MimeEntity => {
  if (entity === leaf) return by;
  const { content } = entity;
  if (typeof content === 'string') return entity;
  return { ...entity, content: { ...content, children: content.children.map(child => replaced(child, leaf, by)) } };
};

/** The body of the entity as it is sent, without its own header. */
export const bodyText = ({ content }: MimeEntity): string => {
  if (typeof content === 'string') return content;
  const { boundary, preamble, children, epilogue } = content;
  const parts = children.map(child => `\r\n--${boundary}\r\n${headText(child)}\r\n${bodyText(child)}`);
  return `${preamble}${parts.join('')}\r\n--${boundary}--\r\n${epilogue}`.replace(/^\r\n/, '');
};

const headText = ({ fields }: MimeEntity): string => fields.map(({ line }) => `${line}\r\n`).join('');

const withEncoding = (entity: MimeEntity, encoding: string): MimeEntity => {
  const others = entity.fields.filter(({ name }) => name !== 'content-transfer-encoding');
  const field = { name: 'content-transfer-encoding', line: `Content-Transfer-Encoding: ${encoding}`, value: encoding };
  const isImplied = encoding === '7bit' && !entity.fields.some(({ name }) => name === field.name);
  return { ...entity, fields: isImplied ? others : [...others, field] };
};

const encodingOf = (fields: readonly MimeField[]): string =>
  fieldValue(fields, 'content-transfer-encoding')?.toLowerCase() ?? '7bit';

const isEncodedAs = (fields: readonly MimeField[], encodings: readonly string[]): boolean =>
  encodings.includes(encodingOf(fields));

const bytesOf = (content: string, encoding: string): Buffer => {
  if (encoding === 'base64') return Buffer.from(content, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(content, 'latin1');
  const plain = content
    .split('\r\n')
    .map(withoutTrailingBlanks)
    .join('\r\n')
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
};

/** A loop, because a pattern anchored at the end takes quadratic time over long runs of blanks. */
const withoutTrailingBlanks = (line: string): string => {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end);
};

const isSevenBit = (text: string): boolean =>
  /^[\x01-\x7f]*$/.test(text) && !text.split('\r\n').some(line => line.length > MAX_LINE);
