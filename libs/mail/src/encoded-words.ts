import { decodeWords } from 'postal-mime';

/** Adjacent encoded words (RFC 2047) of one charset and encoding. */
const ADJACENT =
  /=\?([\w-]{1,40})(?:\*[\w-]{1,20})?\?([bq])\?([^?\s]*)\?=(?:\s+=\?\1(?:\*[\w-]{1,20})?\?\2\?[^?\s]*\?=)+/gi;
const WORD = /=\?[^?]+\?[bq]\?([^?\s]*)\?=/gi;

/** Decodes the encoded words of a header value; a character may be split between adjacent words, as many mailers do. */
export function decodeHeaderText(value: string): string {
  return decodeWords(
    value.replace(ADJACENT, (run, charset: string, encoding: string) => {
      const bytes = Buffer.concat([...run.matchAll(WORD)].map(([, text = '']) => wordBytes(text, encoding)));
      return `=?${charset}?B?${bytes.toString('base64')}?=`;
    }),
  );
}

/** Raw bytes of a header as text: UTF-8 (RFC 6532) if they are valid, otherwise Windows-1252. */
export function readRawText(latin1: string): string {
  if (/^[\x00-\x7f]*$/.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? new TextDecoder('windows-1252').decode(bytes) : text;
}

function wordBytes(text: string, encoding: string): Buffer {
  if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64');
  const plain = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}
