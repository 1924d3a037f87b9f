/** The "relaxed" canonical forms of RFC 6376 §3.4.2 and §3.4.4, in linear time over any input. */
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const LAST_LINE = Buffer.from('x\r\n', 'latin1');
const MORE_THAN_BLANKS = /[\t\r]| {2}/;

/** One header field (`Name: value`, folded or not) in relaxed form, without its line end. */
export function canonicalHeader(line: string): string {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  let value = line.slice(colon + 1);
  // Most lines are not folded and contain no consecutive blanks.
  if (MORE_THAN_BLANKS.test(value)) value = value.replace(/\r\n/g, '').replace(/[ \t]+/g, ' ');
  const start = value.charCodeAt(0) === SPACE ? 1 : 0;
  const end = value.length > start && value.charCodeAt(value.length - 1) === SPACE ? value.length - 1 : value.length;
  return `${name}:${value.slice(start, end)}`;
}

/** A body in relaxed form: blanks reduced, none before line ends, no empty lines at the end. */
export function canonicalBody(body: Buffer): Buffer {
  if (isCanonical(body)) return body;
  const out = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  let contentEnd = 0;
  let blank = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === SPACE || byte === TAB) {
      blank = true;
      continue;
    }
    if (byte === CR && body[at + 1] === LF) {
      blank = false;
      out[end++] = CR;
      out[end++] = LF;
      at++;
      continue;
    }
    if (blank) out[end++] = SPACE;
    blank = false;
    out[end++] = byte;
    contentEnd = end;
  }
  if (contentEnd === 0) return out.subarray(0, 0);
  out[contentEnd] = CR;
  out[contentEnd + 1] = LF;
  return out.subarray(0, contentEnd + 2);
}

/** Whole lines in relaxed form; unlike in `canonicalBody`, empty lines at the end are kept. */
export function canonicalLines(lines: Buffer): Buffer {
  return canonicalBody(Buffer.concat([lines, LAST_LINE])).subarray(0, -LAST_LINE.length);
}

/** True for nearly all composed messages; may be false for a canonical body. */
function isCanonical(body: Buffer): boolean {
  const { length } = body;
  const endsInLine = body[length - 2] === CR && body[length - 1] === LF;
  if (length < 4 || !endsInLine || body[length - 3] === LF) return false;
  for (let at = 0; at < length; at++) {
    const byte = body[at]!;
    if (byte > SPACE) continue;
    if (byte === TAB || (byte === SPACE && body[at + 1]! <= SPACE)) return false;
  }
  return true;
}
