const MAX_CHARACTERS = 40;
/** Mail clients turn longer numbers into links that call a phone. */
const MAX_DIGITS = 4;
const ALLOWED = /[\p{L}\p{M} ,'’&()-]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The name of a tenant for a mail in the operator's name: letters, spaces, simple punctuation and at most four digits, 40
 * characters in all. It contains nothing that a mail client turns into a link: no dot, slash, colon, "@" or number.
 */
export function plainName(name: string): string {
  let digits = 0;
  const keep = (character: string): string => {
    if (INVISIBLE.test(character)) return '';
    if (/\p{Nd}/u.test(character)) return ++digits <= MAX_DIGITS ? character : '';
    return ALLOWED.test(character) ? character : ' ';
  };
  // Normalized first, because some characters expand to several: "㏂" to "a.m.".
  const kept = Array.from(name.normalize('NFKC'), keep)
    .join('')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1');
  const short = Array.from(characters.segment(kept.replace(/ +/g, ' ').trim()), ({ segment }) => segment);
  return short.slice(0, MAX_CHARACTERS).join('').trim();
}
