import { describe, expect, it } from '@jest/globals';
import { outcomeOf, refusalOf, retryAfterMsOf } from './endpoint-response.js';

describe('a response of', () => {
  it.each([200, 201, 204, 299])('%d is accepted', status => expect(outcomeOf({ status })).toBe('accepted'));

  it.each([400, 401, 404, 410, 429, 499])('%d is refused and not retried', status =>
    expect(outcomeOf({ status })).toBe('refused'),
  );

  it.each([500, 502, 503, 599])('%d is retried', status => expect(outcomeOf({ status })).toBe('retry'));

  it.each([301, 302, 307, 308])('%d is not followed and is retried', status =>
    expect(outcomeOf({ status })).toBe('retry'),
  );

  it('nothing within the timeout is retried', () => expect(outcomeOf({})).toBe('retry'));
});

describe('a refusal', () => {
  it.each([
    [429, 'rate_limited'],
    [408, 'timed_out'],
    [404, 'rejected'],
    [425, 'rejected'],
  ])('of %d is shown as %s', (status, kind) => expect(refusalOf(status)).toBe(kind));
});

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
