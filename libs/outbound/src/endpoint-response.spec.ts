import { describe, expect, it } from '@jest/globals';
import { retryAfterMsOf } from './endpoint-response.js';

describe('Retry-After', () => {
  const now = Date.parse('2026-01-02T03:04:05Z');

  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Fri, 02 Jan 2026 03:05:05 GMT', 60_000],
  ])('of a 503 is honoured: %s', (header, ms) => expect(retryAfterMsOf(503, header, now)).toBe(ms));

  it.each(['', '-1', '0', 'soon', '1e9', '99999999999', 'Fri, 02 Jan 2026 03:03:05 GMT', undefined, ['1', '2']])(
    'without a wait that makes sense is ignored: %j',
    header => expect(retryAfterMsOf(503, header, now)).toBeUndefined(),
  );

  it.each([429, 500, 200])('of %d is ignored', status => expect(retryAfterMsOf(status, '120', now)).toBeUndefined());
});
