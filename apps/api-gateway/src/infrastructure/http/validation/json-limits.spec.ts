import { describe, expect, it } from '@jest/globals';
import { assertParsable, MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from './json-limits.js';

const PADDING = ' '.repeat(5_000);
const check = (json: string) => () => assertParsable(Buffer.from(json + PADDING));

describe('the limits of JSON', () => {
  it('allow 64 levels and refuse one more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(check(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(check(nested(MAX_JSON_DEPTH + 1))).toThrow('nested deeper than 64 levels');
  });

  it('allow 20,000 members and refuse one more', () => {
    const numbers = (count: number) => `[${Array<number>(count).fill(1).join(',')}]`;
    expect(check(numbers(MAX_JSON_MEMBERS))).not.toThrow();
    expect(check(numbers(MAX_JSON_MEMBERS + 1))).toThrow('more than 20,000 members');
  });

  it('count empty objects', () =>
    expect(check(`[${Array<string>(MAX_JSON_MEMBERS).fill('{}').join(',')}]`)).toThrow('more than 20,000 members'));

  it.each([
    ['brackets', `"${'['.repeat(100)}"`],
    ['commas', `"${','.repeat(30_000)}"`],
    ['escaped quotes', `"${'\\"['.repeat(100)}"`],
    ['escaped backslashes before the closing quote', `["\\\\",${`"${'['.repeat(100)}"`}]`],
    ['no end', `"${'['.repeat(100)}`],
  ])('ignore strings with %s', (_what, json) => expect(check(json)).not.toThrow());

  it('count content after a string that ends with an escaped backslash', () =>
    expect(check(`["\\\\",${'['.repeat(100)}`)).toThrow('nested deeper'));

  it('do not apply to invalid JSON, which the parser refuses', () => {
    for (const json of [']]]]', '{"a"', '"\\', 'hello']) expect(check(json)).not.toThrow();
  });
});
