import type { SeededRandom } from '../run/random.js';

/** Octets with a special meaning in parsers, as latin1 text. */
const SPECIAL = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n.\r\n',
  '\n.\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '<',
  '>',
  '@',
  ':',
  ';',
  '%00',
  '%2e%2e%2f',
  '../',
  '{}',
  '[]',
  '[[[[[[[[',
  'null',
  '-1',
  '1e999',
  '99999999999999999999',
  '__proto__',
  '\xff\xfe',
  '\xc0\xaf',
  '\xe2\x80\xa8',
  '\xf0\x9f\x98\x80',
  '$(id)',
  '--',
  'ext::sh',
];
const LONGEST_REPEAT = 20_000;

type Mutation = (text: string, at: number, random: SeededRandom) => string;

const MUTATIONS: readonly Mutation[] = [
  (text, at, random) => text.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + text.slice(at + 1),
  (text, at, random) => text.slice(0, at) + random.pick(SPECIAL) + text.slice(at),
  (text, at, random) => text.slice(0, at) + text.slice(at + random.integer(1, 20)),
  (text, at) => text.slice(0, at),
  (text, at, random) => text.slice(0, at) + text.slice(at, at + random.integer(1, 50)).repeat(2) + text.slice(at),
  (text, at, random) => {
    const times = random.chance(0.1) ? LONGEST_REPEAT : random.integer(2, 200);
    return text.slice(0, at) + text.slice(at, at + 1).repeat(times) + text.slice(at);
  },
  (text, at, random) => {
    const other = random.integer(0, text.length);
    return text.slice(0, at) + text.slice(other, other + 30) + text.slice(at);
  },
];

/** Applies up to eight random mutations to a latin1 text; deterministic for the state of `random`. */
export const mutate = (text: string, random: SeededRandom): string => {
  let mutated = text;
  for (let left = random.integer(1, 8); left > 0; left--)
    mutated = random.pick(MUTATIONS)(mutated, random.integer(0, mutated.length), random);
  return mutated;
};
