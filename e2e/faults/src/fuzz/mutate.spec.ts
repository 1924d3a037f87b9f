import { expect, it } from '@jest/globals';
import { SeededRandom } from '../run/random.js';
import { mutate } from './mutate.js';

const TEXT = 'MAIL FROM:<ada@example.com>\r\n';
const run = (seed: number) => {
  const random = new SeededRandom(seed);
  return Array.from({ length: 200 }, () => mutate(TEXT, random));
};

it('the same seed produces the same inputs', () => {
  expect(run(7)).toEqual(run(7));
  expect(run(7)).not.toEqual(run(8));
});

it('nearly every input differs from its origin, and none exceeds the maximum length', () => {
  const inputs = run(7);
  expect(inputs.filter(input => input !== TEXT).length).toBeGreaterThan(190);
  expect(Math.max(...inputs.map(({ length }) => length))).toBeLessThan(1_000_000);
});
