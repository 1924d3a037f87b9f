import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from './endpoint-response.js';

describe('an answer of', () => {
  it.each([200, 201, 204, 299])('%d means accepted', status => expect(outcomeOf({ status })).toBe('accepted'));

  it.each([400, 401, 404, 410, 429, 499])('%d means refused and is not retried', status =>
    expect(outcomeOf({ status })).toBe('refused'),
  );

  it.each([500, 502, 503, 599])('%d asks for a retry', status => expect(outcomeOf({ status })).toBe('retry'));

  it.each([301, 302, 307, 308])('%d is not followed and asks for a retry', status =>
    expect(outcomeOf({ status })).toBe('retry'),
  );

  it('nothing within the deadline asks for a retry', () => expect(outcomeOf({})).toBe('retry'));
});
