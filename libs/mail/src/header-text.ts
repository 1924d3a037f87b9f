/**
 * Formats header lines: folding (RFC 5322 §2.2.3) and encoded words (RFC 2047). Lines are at most 76 characters long, the
 * limit of RFC 2047 for lines with an encoded word; only an unbreakable token is longer.
 */
const MAX_LINE = 76;
const MAX_ENCODED_WORD = 75;
const WORD_PREFIX = '=?UTF-8?B?';
const WORD_SUFFIX = '?=';

/** One header field: its name, and the complete folded line `Name: value` without the closing CRLF. */
export interface HeaderLine {
  readonly name: string;
  readonly line: string;
}

/**
 * Encodes text of any script as base64 encoded words, none longer than 75 characters and each containing whole characters.
 * `firstRoom` is the space on the line for the first word.
 */
export function encodeWords(text: string, firstRoom = MAX_ENCODED_WORD): string[] {
  const words: string[] = [];
  let room = bytesIn(firstRoom);
  let pending = '';
  let pendingBytes = 0;
  for (const character of text) {
    const size = utf8Length(character.codePointAt(0)!);
    if (pendingBytes + size > room) {
      if (pending || words.length === 0) words.push(pending ? encodedWord(pending) : '');
      pending = '';
      pendingBytes = 0;
      room = bytesIn(MAX_ENCODED_WORD);
    }
    pending += character;
    pendingBytes += size;
  }
  if (pending) words.push(encodedWord(pending));
  return words;
}

/** Folds a free-text field (Subject, X- headers); encodes it if plain ASCII would not be transmitted unchanged. */
export function unstructuredLine(name: string, value: string): string {
  if (isPlain(value)) {
    const folded = foldPlain(name, value);
    if (folded !== undefined) return folded;
  }
  const words = encodeWords(value, MAX_LINE - name.length - 2);
  return `${name}: ${words.join('\r\n ')}`.replace(/: \r\n/, ':\r\n');
}

/** Folds a structured field between its tokens; a token itself is never broken. */
export function structuredLine(name: string, tokens: readonly string[]): string {
  let folded = `${name}:`;
  let column = folded.length;
  for (const token of tokens) {
    const fits = column + 1 + token.length <= MAX_LINE;
    // A break directly after the name leaves an empty first line, so it is used only if the token fits then.
    const breaks = !fits && (column > name.length + 1 || token.length + 1 <= MAX_LINE);
    folded += breaks ? `\r\n ${token}` : ` ${token}`;
    column = breaks ? 1 + token.length : column + 1 + token.length;
  }
  return folded;
}

/** True if the text needs no encoding in a header: printable ASCII, no outer blanks, nothing like an encoded word. */
function isPlain(value: string): boolean {
  return value === '' || (/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.includes('=?'));
}

function foldPlain(name: string, value: string): string | undefined {
  if (name.length + 2 + value.length <= MAX_LINE) return value === '' ? `${name}:` : `${name}: ${value}`;
  let folded = `${name}:`;
  let column = folded.length;
  // A break before a run of blanks keeps the run, so unfolding restores the exact value.
  for (const piece of ` ${value}`.match(/[ \t]+[^ \t]+/g) ?? []) {
    if (column + piece.length > MAX_LINE) {
      if (piece.length > MAX_LINE || column === name.length + 1) return undefined;
      folded += '\r\n';
      column = 0;
    }
    folded += piece;
    column += piece.length;
  }
  return folded;
}

function encodedWord(text: string): string {
  return WORD_PREFIX + Buffer.from(text, 'utf8').toString('base64') + WORD_SUFFIX;
}

function bytesIn(room: number): number {
  const characters = Math.min(room, MAX_ENCODED_WORD) - WORD_PREFIX.length - WORD_SUFFIX.length;
  return Math.max(0, Math.floor(characters / 4) * 3);
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
