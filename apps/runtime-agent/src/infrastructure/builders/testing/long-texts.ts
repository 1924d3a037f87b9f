const CHARACTERS = 256 * 1_024;

const BLANKS = ['\n', ' ', '\t', '\r\n'];
const CHARACTERS_OF_SYNTAX = [
  'a',
  '1',
  '-',
  '*',
  '/',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '(',
  ',',
  '.',
  ':',
  '=',
  '#',
  '\\',
];
const PAIRS = [
  '\n ',
  '\n\t',
  'a\n',
  'a ',
  'a:',
  'a=',
  'a: ',
  'a = ',
  'a.',
  'a=b ',
  '-a ',
  '/*',
  '*/',
  '//',
  '"\\',
  '\n# ',
];

/**
 * Long runs of single characters, pairs and tokens, alone and after each of the beginnings. Each text ends with words that
 * no pattern accepts.
 */
export const longTexts = (
  beginnings: readonly string[] = [],
  tokens: readonly string[] = [],
  length = CHARACTERS,
): readonly string[] => {
  const units = [...BLANKS, ...CHARACTERS_OF_SYNTAX, ...PAIRS, ...tokens, ...tokens.map(token => `${token}\n`)];
  const after = beginnings.flatMap(beginning => [...BLANKS, 'a', 'a ', '-a ', '/', '.'].map(unit => [beginning, unit]));
  return [...units.map(unit => ['', unit]), ...after].map(
    ([beginning = '', unit = '']) => `${beginning}${unit.repeat(Math.ceil(length / unit.length))}! !`,
  );
};
