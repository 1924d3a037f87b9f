import { describe, expect, it } from '@jest/globals';
import { createBounceRule } from './bounce-rules.js';

const RULE = { service_id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00', phrase: 'rejected by policy', cause: 'policy' };

const messagesOf = (change: object) =>
  createBounceRule.request.safeParse({ ...RULE, ...change }).error?.issues.map(({ message }) => message) ?? [];

describe('A bounce rule', () => {
  it.each([
    {},
    { phrase: '用户不存在' },
    { phrase: '  (a+)+$ is text  ' },
    { domain: 'bücher.test' },
    { status_code: '550' },
    { status_code: '5.7.1' },
    { status_code: '4.4.7' },
  ])('may have %j', change => expect(messagesOf(change)).toEqual([]));

  it.each([
    ['too few characters', { phrase: 'mail' }, 'give at least 5 characters of the reply'],
    ['too many characters', { phrase: 'mail '.repeat(70) }, 'give at most 300 characters of the reply'],
    ['no words', { phrase: '550 5.1.1' }, 'give words of the reply; use status_code for its code'],
    [
      'an address',
      { phrase: '<ada@x.test> rejected' },
      'leave out the address, so that the rule applies to other recipients',
    ],
    ['an address as its domain', { domain: 'ada@x.test' }, 'give a domain, such as example.com'],
    ['half a code', { status_code: '5.1' }, 'give a code such as 550 or 5.7.1'],
    ['the code of a success', { status_code: '250' }, 'give a code such as 550 or 5.7.1'],
  ])('is refused with %s', (_, change, message) => expect(messagesOf(change)).toEqual([message]));

  it('is refused with a cause that does not exist', () => expect(messagesOf({ cause: 'spam' })).toHaveLength(1));
});
