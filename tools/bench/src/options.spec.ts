import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';

describe('the command line of the bench', () => {
  it('measures every part in five rounds by default', () =>
    expect(readOptions([])).toMatchObject({
      parts: ['email', 'webhooks', 'events', 'platform', 'idle', 'tracing', 'attack'],
      rounds: 5,
      seconds: 10,
      perSecond: 300,
    }));

  it('runs one short round of the named parts with --quick', () =>
    expect(readOptions(['webhooks', '--quick'])).toMatchObject({ parts: ['webhooks'], rounds: 1, seconds: 5 }));

  it('sends fewer emails per second under attack with --per-second', () =>
    expect(readOptions(['attack', '--per-second', '40'])).toMatchObject({ perSecond: 40 }));

  it('rejects an unknown part and lists the known ones', () =>
    expect(() => readOptions(['emails'])).toThrow(/unknown part "emails"\n.*email\|webhooks\|events\|platform\|idle/));

  it('rejects fewer than one round', () => expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds must be'));
});
