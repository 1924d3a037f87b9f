import { domainToASCII } from 'node:url';
import fc from 'fast-check';

const ATEXT = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~"];
const LETTERS = [...'éßёñ用户例ا한ঊ', 'e\u0301', '😀', '𝒜'];
const LABEL_CHARACTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-'];

const textOf = (characters: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map(parts => parts.join(''));

const dotAtom = (characters: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(textOf(characters, maxLength), { minLength: 1, maxLength: 4 }).map(atoms => atoms.join('.'));

const quoted = fc
  .string({ unit: fc.constantFrom(...ATEXT, ...' "\\()<>[]:;@,.', 'é', '用'), minLength: 1, maxLength: 20 })
  .map(text => `"${text.replaceAll(/["\\]/g, mark => `\\${mark}`)}"`);

const label = textOf(LABEL_CHARACTERS, 30).filter(
  text => !text.startsWith('-') && !text.endsWith('-') && text.slice(2, 4) !== '--',
);
const topLabel = fc.constantFrom('test', 'Example', 'my-shop', 'com', 'xn--p1ai');
const hostName = fc
  .array(label, { minLength: 1, maxLength: 6 })
  .chain(labels => topLabel.map(top => [...labels, top].join('.')));
const international = fc
  .array(fc.constantFrom('bücher', 'straße', '例子', 'пример', 'عربي', 'my-shop'), { minLength: 1, maxLength: 3 })
  .map(labels => `${labels.join('.')}.example`)
  .chain(domain => fc.constantFrom(domain, domainToASCII(domain)));
const literal = fc.oneof(
  fc.ipV4().map(ip => `[${ip}]`),
  fc.ipV6().map(ip => `[IPv6:${ip}]`),
);

const isLegal = (address: string): boolean => {
  const at = address.lastIndexOf('@');
  return Buffer.byteLength(address.slice(0, at)) <= 64 && Buffer.byteLength(address) <= 254;
};

/**
 * Every kind of address that RFC 5321 and RFC 6531 allow: dot-atoms, quoted strings, UTF-8, and domains with
 * hyphens, A-labels, U-labels, address literals, great length and mixed case.
 */
export const legalAddresses = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(dotAtom(ATEXT, 16), dotAtom([...ATEXT.slice(0, 26), ...LETTERS], 10), quoted),
      fc.oneof(hostName, international, literal),
    )
    .map(([local, domain]) => `${local}@${domain}`)
    .filter(isLegal);

/** The same text with some letters in the other case, if that changes nothing else. */
export const inSomeCase = (text: string): fc.Arbitrary<string> =>
  fc.infiniteStream(fc.boolean()).map(flips =>
    Array.from(text, character => {
      const [upper, lower] = [character.toUpperCase(), character.toLowerCase()];
      const other = character === lower ? upper : lower;
      const isReversible =
        other.length === character.length && [upper, lower].every(form => form.toLowerCase() === lower);
      return isReversible && flips.next().value ? other : character;
    }).join(''),
  );
