import { describe, expect, it } from '@jest/globals';
import { outcomeOf, refusalOf } from './endpoint-response.js';

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
