/**
 * A reader of MIME structure for hostile input: linear, bounded, and never throwing. postal-mime has no limit on parts,
 * and 1 MB of empty ones keeps it busy for 3.6 s (docs/decisions/0059-own-code-and-libraries.md).
 */

/** Header fields by lower-case name, unfolded, in order of appearance. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** One entity. Texts are latin1 strings of bytes with LF line ends, until `partText` decodes them. */
export interface MimePart {
  readonly fields: Fields;
  /** `type/subtype`, lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: string;
  /** False if the input ended before the closing boundary of this part: its end may be missing. */
  readonly isComplete: boolean;
}

const MAX_FIELDS = 1_000;
const MAX_PARTS = 50;
const MAX_VALUE = 10_000;

/** Reads an entity: its header, and its undecoded body. */
export function readPart(source: string, isComplete: boolean): MimePart {
  const end = source.startsWith('\n') ? 0 : source.indexOf('\n\n');
  const head = end < 0 ? source : source.slice(0, end);
  const body = end < 0 ? '' : source.slice(source.startsWith('\n') ? 1 : end + 2);
  const fields = readFields(head);
  const { type, parameters } = readContentType(fields.get('content-type')?.[0] ?? 'text/plain');
  return { fields, type, parameters, body, isComplete };
}

/** The parts of a multipart body; none if there is no boundary. */
export function childParts({ parameters, body, isComplete }: MimePart): MimePart[] {
  const boundary = parameters.get('boundary');
  if (!boundary || boundary.length > 200) return [];
  const delimiter = `\n--${boundary}`;
  const text = `\n${body}`;
  const parts: MimePart[] = [];
  let at = nextDelimiter(text, delimiter, 0);
  while (at >= 0 && parts.length < MAX_PARTS && !text.startsWith('--', at + delimiter.length)) {
    const start = text.indexOf('\n', at + 1);
    if (start < 0) break;
    const next = nextDelimiter(text, delimiter, start);
    parts.push(readPart(text.slice(start + 1, next < 0 ? undefined : next), isComplete && next >= 0));
    at = next;
  }
  // A truncated delimiter may be content: only a complete one closes the part before it.
  return parts;
}

/** A part's decoded text: as UTF-8 if valid, otherwise in the declared charset, otherwise as Latin-1. */
export function partText(part: MimePart): string {
  return decodeText(partBytes(part), part.parameters.get('charset')).replace(/\r\n?/g, '\n');
}

/** A part's bytes after transfer decoding. */
export function partBytes({ fields, body }: Pick<MimePart, 'fields' | 'body'>): Buffer {
  const encoding = fields.get('content-transfer-encoding')?.[0]?.trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  return Buffer.from(encoding === 'quoted-printable' ? unquotePrintable(body) : body, 'latin1');
}

/** Unfolds and reads header fields; skips other lines. */
export function readFields(head: string): Fields {
  const fields = new Map<string, string[]>();
  let count = 0;
  let last: { values: string[] } | undefined;
  for (const line of head.split('\n', MAX_FIELDS * 10)) {
    if (/^[ \t]/.test(line)) {
      if (last) last.values.push(`${last.values.pop() ?? ''} ${line.trim()}`.slice(0, MAX_VALUE));
      continue;
    }
    const colon = line.indexOf(':');
    last = undefined;
    if (colon <= 0 || ++count > MAX_FIELDS) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const values = fields.get(name) ?? [];
    values.push(line.slice(colon + 1, colon + 1 + MAX_VALUE).trim());
    fields.set(name, values);
    last = { values };
  }
  return fields;
}

function nextDelimiter(text: string, delimiter: string, from: number): number {
  for (let at = text.indexOf(delimiter, from); at >= 0; at = text.indexOf(delimiter, at + 1)) {
    // The delimiter is a whole line, apart from blanks or the closing "--" (RFC 2046 §5.1.1).
    const rest = text.slice(at + delimiter.length, at + delimiter.length + 3);
    if (/^(?:--)?[ \t]*(?:\n|$)/.test(rest) && text.indexOf('\n', at + 1) >= 0) return at;
    if (/^--$/.test(rest)) return at;
  }
  return -1;
}

function readContentType(value: string): { type: string; parameters: Map<string, string> } {
  const parameters = new Map<string, string>();
  const type = /^\s*([^\s;/()]{1,100}\/[^\s;()]{1,100})/.exec(value)?.[1]?.toLowerCase() ?? 'text/plain';
  for (const match of value.matchAll(/;\s*([A-Za-z0-9*-]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)) {
    const name = match[1]!.toLowerCase();
    if (!parameters.has(name)) parameters.set(name, (match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return { type, parameters };
}

function unquotePrintable(text: string): string {
  return text
    .replace(/=[ \t]{0,10}\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** 7-bit encodings of other scripts look like ASCII, so a declared one takes precedence. */
function decodeText(bytes: Buffer, charset = ''): string {
  const utf8 = bytes.toString('utf8');
  if (!utf8.includes('\ufffd') && !utf8.includes('\x1b')) return utf8;
  return decodedAs(bytes, charset) ?? bytes.toString('latin1');
}

/** The text of bytes in the named encoding (WHATWG Encoding); undefined if the name is unknown. */
export function decodedAs(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}
