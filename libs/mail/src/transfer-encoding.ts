/** A text in its 7-bit form, and its Content-Transfer-Encoding. */
export interface EncodedText {
  readonly encoding: 'quoted-printable' | 'base64';
  /** ASCII, CRLF line ends, lines of at most 76 characters, no closing line end. */
  readonly encoded: string;
}

const LINE = 76;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const DOT = 0x2e;
const EQUALS = 0x3d;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');
const FROM = Buffer.from('From ', 'latin1');
const SHARED_OUTPUT = Buffer.allocUnsafeSlow(64 * 1024);
/**
 * 2: literal; 1: literal except at the start of a line; 0: depends on the context. Spaces at the end of a line are an
 * exception.
 */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < SPACE || byte > 0x7e || byte === EQUALS) return 0;
  return byte === DOT || byte === FROM[0] ? 1 : 2;
});

/**
 * Encodes text as UTF-8, in quoted-printable or base64, whichever is shorter. Line ends of any kind become CRLF first, so
 * that decoding gives the same lines on every system.
 */
export function encodeText(text: string): EncodedText {
  const bytes = linesOf(text);
  const escapes = escapesIn(bytes);
  return isShorterInBase64(bytes, escapes)
    ? { encoding: 'base64', encoded: base64(bytes) }
    : { encoding: 'quoted-printable', encoded: quotedPrintable(bytes, escapes) };
}

/** The encoding that `encodeText` chooses. */
export function encodingOf(text: string): EncodedText['encoding'] {
  const bytes = linesOf(text);
  return isShorterInBase64(bytes, escapesIn(bytes)) ? 'base64' : 'quoted-printable';
}

/** A text in UTF-8 with CRLF line ends. */
export function linesOf(text: string): Buffer {
  const hasLineEnds = text.includes('\n') || text.includes('\r');
  return Buffer.from(hasLineEnds ? text.replace(/\r\n|\r|\n/g, '\r\n') : text, 'utf8');
}

/** A piece of a text in quoted-printable; it ends in a soft line break, so that the next piece starts a line. */
export function quotedPrintablePiece(text: string): string {
  const bytes = linesOf(text);
  return `${quotedPrintable(bytes, escapesIn(bytes), true)}=\r\n`;
}

function escapesIn(bytes: Buffer): number {
  let escapes = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte > 0x7e || byte === EQUALS) escapes++;
  }
  return escapes;
}

/** An escape adds two bytes to one; base64 adds one to every three. */
function isShorterInBase64(bytes: Buffer, escapes: number): boolean {
  return escapes * 6 > bytes.length;
}

/** Lines of base64 without the last line end. */
export function base64(bytes: Buffer): string {
  const flat = bytes.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < flat.length; at += LINE) lines.push(flat.slice(at, at + LINE));
  return lines.join('\r\n');
}

function quotedPrintable(bytes: Buffer, escapes: number, goesOn = false): string {
  // Worst case: every byte escaped, a soft break (3 bytes) after each 75 or fewer columns.
  const most = Math.max(bytes.length + escapes * 2, bytes.length * 3);
  const out = outputOf(most + Math.ceil(most / 72) * 3 + 8);
  const { length } = bytes;
  let end = 0;
  let column = 0;
  for (let at = 0; at < length; at++) {
    // Fast path for literal characters, as many as fit in front of a soft break.
    const from = at;
    const until = Math.min(length, at + LINE - 1 - column);
    if (column > 0 || PLAIN[bytes[at]!] === 2) while (at < until && PLAIN[bytes[at]!]! > 0) out[end++] = bytes[at++]!;
    if (at > from && bytes[at - 1] === SPACE && (at === length ? !goesOn : bytes[at] === CR)) {
      at--;
      end--;
    }
    column += at - from;
    if (at === length) break;
    const byte = bytes[at]!;
    if (byte === CR && bytes[at + 1] === LF) {
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      at++;
      continue;
    }
    const endsLine = at + 1 === length ? !goesOn : bytes[at + 1] === CR;
    const literal = isLiteral(byte, endsLine) && !(column === 0 && isFragileStart(bytes, at));
    const width = literal ? 1 : 3;
    // The last column belongs to the "=" of a soft break, unless the line ends here.
    if (column + width > (endsLine ? LINE : LINE - 1)) {
      out[end++] = EQUALS;
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      if (literal && isFragileStart(bytes, at)) {
        end = writeEscape(out, end, byte);
        column = 3;
        continue;
      }
    }
    if (literal) out[end++] = byte;
    else end = writeEscape(out, end, byte);
    column += width;
  }
  return out.toString('latin1', 0, end);
}

/** One buffer for all short texts: its content is converted to a string before another text is encoded. */
function outputOf(bytes: number): Buffer {
  return bytes > SHARED_OUTPUT.length ? Buffer.allocUnsafe(bytes) : SHARED_OUTPUT;
}

function isLiteral(byte: number, endsLine: boolean): boolean {
  if (byte === SPACE || byte === TAB) return !endsLine;
  return byte > SPACE && byte < 0x7f && byte !== EQUALS;
}

/** Some servers alter a leading dot or a leading "From " in transit, which would invalidate the signature. */
function isFragileStart(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return byte === DOT || (byte === FROM[0] && bytes.subarray(at, at + FROM.length).equals(FROM));
}

function writeEscape(out: Buffer, end: number, byte: number): number {
  out[end] = EQUALS;
  out[end + 1] = HEX[byte >> 4]!;
  out[end + 2] = HEX[byte & 15]!;
  return end + 3;
}
