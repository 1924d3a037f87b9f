import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';

describe('the command line of the bench', () => {
  it('measures every part, five rounds each, unless told otherwise', () =>
    expect(readOptions([])).toMatchObject({
      parts: ['email', 'webhooks', 'events', 'platform', 'idle', 'tracing'],
      rounds: 5,
      seconds: 10,
    }));

  it('makes one short round of what is named when it only has to show that it works', () =>
    expect(readOptions(['webhooks', '--quick'])).toMatchObject({ parts: ['webhooks'], rounds: 1, seconds: 5 }));

  it('refuses a part that is not there, and says which are', () =>
    expect(() => readOptions(['emails'])).toThrow(/no part "emails"\n.*email\|webhooks\|events\|platform\|idle/));

  it('refuses fewer than one round', () => expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds must be'));
});
