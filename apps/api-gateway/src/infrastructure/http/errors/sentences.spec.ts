import { describe, expect, it } from '@jest/globals';
import { sentenceOf, withRetryTime } from './sentences.js';

describe('a message of a service becomes a sentence', () => {
  it.each([
    ['there is no such webhook', 'There is no such webhook.'],
    ['incorrect email or password', 'Incorrect email or password.'],
    ['The API key is not valid.', 'The API key is not valid.'],
    ['url: must be https', 'url: must be https.'],
    ['headers.X-A b: this header is given twice', 'headers.X-A b: this header is given twice.'],
    ['to[0]: malformed address', 'to[0]: malformed address.'],
  ])('%j', (message, sentence) => expect(sentenceOf(message)).toBe(sentence));

  it('unless it begins with an address or a domain', () => {
    expect(sentenceOf('ada@x.test is suppressed')).toBe('ada@x.test is suppressed.');
    expect(sentenceOf('shop.test is already a domain')).toBe('shop.test is already a domain.');
  });
});

describe('a refusal for too many requests contains the time of the next attempt', () => {
  const now = Date.parse('2026-03-09T23:00:00Z');

  it.each([
    [7, 'in 7 seconds, at 2026-03-09 23:00:07 UTC.'],
    [1, 'in 1 second, at 2026-03-09 23:00:01 UTC.'],
    [3_600, 'in 60 minutes, at 2026-03-10 00:00:00 UTC.'],
    [20_000, 'in 6 hours, at 2026-03-10 04:33:20 UTC.'],
  ])('in %d seconds', (seconds, when) =>
    expect(withRetryTime('the limit is reached', seconds, now)).toBe(`The limit is reached. Try again ${when}`),
  );

  it('also if it is the whole message', () =>
    expect(withRetryTime('Try again later.', 5, now)).toBe('Try again in 5 seconds, at 2026-03-09 23:00:05 UTC.'));

  it('instead of "later"', () => {
    for (const message of [
      'too many codes; try again later',
      'Too many codes. Try again later.',
      'Too many codes. Try again.',
    ]) {
      expect(withRetryTime(message, 5, now)).toBe(
        'Too many codes. Try again in 5 seconds, at 2026-03-09 23:00:05 UTC.',
      );
    }
  });
});
