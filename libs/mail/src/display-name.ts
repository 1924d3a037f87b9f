import { decodeWords } from 'postal-mime';

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
