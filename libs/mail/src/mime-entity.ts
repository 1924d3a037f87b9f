import { htmlCharset, withHtmlCharset } from './html-charset.js';
import {
  fieldValue,
  isSevenBit,
  type MimeField,
  readContentType,
  readFields,
  sevenBitField,
  withValue,
} from './mime-field.js';
import { decodedAs } from './mime-part.js';
import { encodeText } from './transfer-encoding.js';

/**
 * A MIME entity as a tree. What is not changed renders to the bytes that were read, so that attachments, structure and
 * unusual MIME pass through. Texts are latin1 strings of bytes with CRLF line ends.
 */
export interface MimeEntity {
  readonly fields: readonly MimeField[];
  /** `type/subtype`, lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly disposition: string;
  /** Whether a parameter names the file. */
  readonly isFile: boolean;
  readonly content: string | MimeMultipart;
  /** The entity as it was read; undefined if it was changed. */
  readonly raw: string | undefined;
}

interface MimeMultipart {
  readonly boundary: string;
  readonly body: string;
  readonly children: readonly MimeEntity[];
  /** The boundary as it is sent, if the one in the body is not 7-bit. */
  readonly sentBoundary?: string;
  /** Where the children are in the body. */
  readonly spans: readonly (readonly [start: number, end: number])[];
}

/** The message is not MIME that can be passed on. */
export class MimeError extends Error {
  override readonly name = 'MimeError';
}

const MAX_PARTS = 500;
const MAX_DEPTH = 20;
const MAX_HEADER_BYTES = 256 * 1024;
const ATTACHED_MESSAGE = /^message\/(?:rfc822|global|news)$/;

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
  const dispositionValue = fieldValue(fields, 'content-disposition') ?? '';
  const disposition = /^\s*([\w-]+)/.exec(dispositionValue)?.[1]?.toLowerCase() ?? '';
  const isFile =
    /;\s*filename[*\d]*\s*=/i.test(dispositionValue) || [...parameters.keys()].some(key => /^name\b/.test(key));
  return { fields, type, parameters, disposition, isFile, content, raw: source };
};

const split = (body: string, boundary: string, depth: number, budget: { parts: number }): MimeMultipart => {
  const delimiter = `\r\n--${boundary}`;
  const text = `\r\n${body}`;
  const spans: (readonly [number, number])[] = [];
  let start = -1;
  for (let from = 0; ; ) {
    const at = nextDelimiter(text, delimiter, from);
    // The line end before a delimiter belongs to it, so an empty part ends where it starts.
    const end = at < 0 ? text.length : at;
    if (start >= 0) spans.push([Math.min(start + 2, end) - 2, end - 2]);
    if (at < 0 || text.startsWith('--', at + delimiter.length)) break;
    if (spans.length > MAX_PARTS) throw new MimeError(`more than ${MAX_PARTS} parts are not accepted`);
    const lineEnd = text.indexOf('\r\n', at + delimiter.length);
    start = lineEnd < 0 ? text.length : lineEnd;
    from = start;
  }
  const children = spans.map(([from, to]) => read(body.slice(from, to), depth + 1, budget));
  return { boundary, body, children, spans };
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

/** The text of a leaf with its transfer encoding and charset undone; undefined if it is not valid in its charset. */
export const textOf = (leaf: MimeEntity): string | undefined => {
  if (typeof leaf.content !== 'string') return undefined;
  try {
    const bytes = bytesOf(leaf.content, encodingOf(leaf.fields));
    const text = new TextDecoder(charsetOf(leaf, bytes), { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};

/** The text of a leaf, for people: characters that are not valid in its charset are replaced. */
export const readableText = (leaf: MimeEntity): string | undefined => {
  const text = textOf(leaf);
  if (text !== undefined || typeof leaf.content !== 'string') return text;
  const bytes = bytesOf(leaf.content, encodingOf(leaf.fields));
  const decoded = [charsetOf(leaf, bytes), 'windows-1252']
    .map(charset => decodedAs(bytes, charset))
    .filter(each => each !== undefined);
  return (decoded.find(each => !each.includes('\ufffd')) ?? decoded[0])?.replaceAll('\0', '');
};

const charsetOf = ({ parameters, type }: MimeEntity, bytes: Buffer): string =>
  parameters.get('charset') ?? (type === 'text/html' ? htmlCharset(bytes) : undefined) ?? 'utf-8';

/**
 * The tree as 7-bit text with CRLF line ends: fields are encoded, attached messages are encoded part by part, and other
 * leaves become base64. @throws MimeError for a signed part, whose signature would no longer fit.
 */
export const toSevenBit = (entity: MimeEntity, isAttached = false): MimeEntity => {
  if (entity.raw !== undefined && isSevenBit(entity.raw)) return entity;
  const { content, type } = entity;
  const fields = entity.fields.map(sevenBitField);
  if (typeof content !== 'string') {
    if (content.children.length === 0 && !isSevenBit(content.body))
      return toSevenBit(withoutParts(entity, content.body));
    if (type === 'multipart/signed' && !isAttached && !isSevenBit(content.body)) {
      throw new MimeError('a signed part must be 7-bit (RFC 1847)');
    }
    const children = content.children.map(child => toSevenBit(child, isAttached));
    const changed = { ...entity, raw: undefined, fields, content: { ...content, children } };
    return asSevenBit(isSevenBit(content.boundary) ? changed : withSevenBitBoundary(changed, content.boundary));
  }
  if (isSevenBit(content)) return { ...entity, raw: undefined, fields };
  if (ATTACHED_MESSAGE.test(type)) {
    // RFC 2046 §5.2.1 permits no other encoding of an attached message.
    return asSevenBit({ ...entity, raw: undefined, fields, content: rendered(toSevenBit(readEntity(content), true)) });
  }
  if (encodingOf(fields) === 'base64') {
    // RFC 2045 §6.8: readers ignore characters outside of the alphabet. Without one, a line could become a delimiter.
    return { ...entity, raw: undefined, fields, content: content.replace(/[^\x01-\x7f]/g, '?') };
  }
  const bytes = bytesOf(content, encodingOf(fields));
  const encoded = bytes.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
  return withEncoding(
    { ...entity, raw: undefined, fields: withCharset(entity, fields, bytes), content: encoded },
    'base64',
  );
};

/** A multipart without its delimiters is text, which readers show; its bytes could not be encoded in a multipart. */
const withoutParts = (entity: MimeEntity, content: string): MimeEntity => ({
  ...entity,
  raw: undefined,
  type: 'text/plain',
  parameters: new Map(),
  fields: entity.fields.filter(({ name }) => name !== 'content-type' && name !== 'content-transfer-encoding'),
  content,
});

/** Names the charset of a text that has none and is UTF-8: a reader would take it for ASCII. */
const withCharset = (
  { type, parameters }: MimeEntity,
  fields: readonly MimeField[],
  bytes: Buffer,
): readonly MimeField[] => {
  if (type !== 'text/plain' || parameters.has('charset') || bytes.toString('utf8').includes('\ufffd')) return fields;
  const declared = fields.find(({ name }) => name === 'content-type');
  const value = `${declared?.value.replace(/;\s*$/, '') || 'text/plain'}; charset=utf-8`;
  const field = withValue(declared ?? { name: 'content-type', line: 'Content-Type:', value: '' }, value);
  return declared ? fields.map(each => (each === declared ? sevenBitField(field) : each)) : [...fields, field];
};

const withSevenBitBoundary = (entity: MimeEntity, boundary: string): MimeEntity => {
  const { content } = entity;
  if (typeof content === 'string') return entity;
  const sentBoundary = `=_${Buffer.from(boundary, 'latin1').toString('hex').slice(0, 60)}`;
  const fields = entity.fields.map(field =>
    field.name === 'content-type'
      ? sevenBitField(withValue(field, field.value.replace(boundary, sentBoundary)))
      : field,
  );
  return { ...entity, fields, content: { ...content, sentBoundary } };
};

/** Removes an encoding that the content no longer needs. */
const asSevenBit = (entity: MimeEntity): MimeEntity =>
  ['8bit', 'binary'].includes(encodingOf(entity.fields)) ? withEncoding(entity, '7bit') : entity;

/** The entity with this HTML in UTF-8 as its content. */
export const withHtml = (entity: MimeEntity, html: string): MimeEntity => {
  const { encoding, encoded } = encodeText(withHtmlCharset(html));
  const fields = entity.fields.map(field =>
    field.name === 'content-type' ? withValue(field, 'text/html; charset=utf-8') : field,
  );
  return withEncoding({ ...entity, raw: undefined, fields, content: encoded }, encoding);
};

/** Replaces a leaf of the tree, found by identity. */
export const replaced = (entity: MimeEntity, leaf: MimeEntity, by: MimeEntity): MimeEntity => {
  if (entity === leaf) return by;
  const { content } = entity;
  if (typeof content === 'string') return entity;
  const children = content.children.map(child => replaced(child, leaf, by));
  return children.every((child, index) => child === content.children[index])
    ? entity
    : { ...entity, raw: undefined, content: { ...content, children } };
};

/** The body of the entity as it is sent, without its own header. */
export const bodyText = ({ content }: MimeEntity): string => {
  if (typeof content === 'string') return content;
  const { body, children, spans } = content;
  let text = '';
  let from = 0;
  children.forEach((child, index) => {
    const [start, end] = spans[index]!;
    text += betweenParts(body.slice(from, start), content) + rendered(child);
    from = end;
  });
  return text + betweenParts(body.slice(from), content);
};

/** Delimiters, and the texts before the first and after the last one, which no reader shows. */
const betweenParts = (text: string, { boundary, sentBoundary = boundary }: MimeMultipart): string => {
  if (isSevenBit(text)) return text;
  const lines = text.split('\r\n').map(line => {
    if (isSevenBit(line)) return line;
    const rest = line.slice(boundary.length + 2);
    if (line.startsWith(`--${boundary}`) && isSevenBit(rest)) return `--${sentBoundary}${rest}`;
    const plain = line.replace(/[^\x01-\x7f]/g, '?');
    return isSevenBit(plain) ? plain : '';
  });
  return lines.join('\r\n');
};

/** A whole message in 7 bits, as an attached message has to be. */
export const renderedInSevenBit = (message: Buffer): string =>
  rendered(toSevenBit(readEntity(message.toString('latin1')), true));

const rendered = (entity: MimeEntity): string => entity.raw ?? `${headText(entity)}\r\n${bodyText(entity)}`;

const headText = ({ fields }: MimeEntity): string => fields.map(({ line }) => `${line}\r\n`).join('');

const withEncoding = (entity: MimeEntity, encoding: string): MimeEntity => {
  const others = entity.fields.filter(({ name }) => name !== 'content-transfer-encoding');
  const field = { name: 'content-transfer-encoding', line: `Content-Transfer-Encoding: ${encoding}`, value: encoding };
  return { ...entity, fields: encoding === '7bit' ? others : [...others, field] };
};

/** The transfer encoding that the header of an entity declares. */
export const encodingOf = (fields: readonly MimeField[]): string =>
  /^[\w-]+/.exec(fieldValue(fields, 'content-transfer-encoding')?.toLowerCase() ?? '')?.[0] ?? '7bit';

/** The content of a leaf with its transfer encoding undone. */
export const bytesOf = (content: string, encoding: string): Buffer => {
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
