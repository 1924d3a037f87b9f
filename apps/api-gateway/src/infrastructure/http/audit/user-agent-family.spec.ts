import { describe, expect, it } from '@jest/globals';
import { userAgentFamilyOf } from './user-agent-family.js';

describe('The family of a user agent', () => {
  const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  it.each([
    [CHROME, 'Chrome'],
    [`${CHROME} Edg/140.0`, 'Edge'],
    ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Safari/605.1', 'Safari'],
    ['Mozilla/5.0 (X11; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox'],
    ['curl/8.16.0', 'curl'],
    ['node', 'node'],
    ['Mozilla/5.0', null],
    ['ada@example.com', null],
    [undefined, null],
  ])('of %s is %s', (userAgent, family) => expect(userAgentFamilyOf(userAgent)).toBe(family));
});
