import { describe, expect, it } from '@jest/globals';
import { canonicalAddress } from './email-address.js';

describe('the address of a user', () => {
  it('is independent of case and surrounding blanks', () =>
    expect(canonicalAddress(' Ada@Example.COM\n')).toBe('ada@example.com'));

  it('can use any script', () => expect(canonicalAddress('jürgen@bücher.example')).toBe('jürgen@bücher.example'));

  it.each([
    '',
    'ada',
    'ada@example',
    'a b@example.com',
    'ada@b@example.com',
    'Ada <ada@example.com>',
    'a,b@example.com',
  ])('cannot be %j', text => expect(canonicalAddress(text)).toBeUndefined());

  it('contains no characters that PostgreSQL cannot store', () => {
    expect(canonicalAddress('a\0da@example.com')).toBeUndefined();
    expect(canonicalAddress('a\ud800da@example.com')).toBeUndefined();
  });
});
