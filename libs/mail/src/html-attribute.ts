import { Tokenizer } from 'htmlparser2';

/** The position of a link's address in the HTML, without quotes. */
export interface LinkSpot {
  readonly start: number;
  readonly end: number;
  readonly url: string;
  readonly quote: 'double' | 'single' | 'none';
}

/** Characters of a percent-encoded address. Its tracked link is a third longer, and mail clients and servers limit it to 8 KiB. */
const MAX_TARGET = 4_096;

/** The http(s) address that a browser would follow for a raw `href` value; undefined for anything else, and for a very long one. */
export function linkTarget(raw: string): string | undefined {
  // Most values are plain: decide on the first characters before decoding anything.
  if (!/^[\s&\x00-\x1f]*(?:h|$|&)/i.test(raw)) return undefined;
  const decoded = raw.includes('&') ? decodeEntities(raw) : raw;
  // Like the URL standard, ignores outer control characters and blanks, and inner tabs and line breaks.
  const url = trimmed(decoded.replace(/[\t\n\r]+/g, ''));
  return /^https?:\/\//i.test(url) && URL.canParse(url) && isShort(url) ? url : undefined;
}

/** A character has up to nine percent-encoded ones. */
const isShort = (url: string): boolean =>
  url.length * 9 <= MAX_TARGET || (url.length <= MAX_TARGET && new URL(url).href.length <= MAX_TARGET);

/** An attribute value, escaped for its quotes; adds quotes if there were none. */
export function quoted(value: string, quote: LinkSpot['quote']): string {
  const escaped = value.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
  return quote === 'none' ? `"${escaped}"` : escaped;
}

/** A loop, because a pattern anchored at the end takes quadratic time over long runs of blanks. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}

function decodeEntities(raw: string): string {
  // Fast path for the only entity in most links.
  if (!/&(?!amp;)/.test(raw)) return raw.replaceAll('&amp;', '&');
  let decoded = '';
  const source = `<a b="${raw.replaceAll('"', '&quot;')}">`;
  const none = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onattribdata: (start, end) => {
        decoded += source.slice(start, end);
      },
      onattribentity: codePoint => {
        decoded += String.fromCodePoint(codePoint);
      },
      onattribend: none,
      onattribname: none,
      oncdata: none,
      onclosetag: none,
      oncomment: none,
      ondeclaration: none,
      onend: none,
      onopentagend: none,
      onopentagname: none,
      onprocessinginstruction: none,
      onselfclosingtag: none,
      ontext: none,
      ontextentity: none,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  return decoded;
}
