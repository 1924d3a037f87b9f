import { describe, expect, it } from '@jest/globals';
import { normalizeDomain } from './domain-name.js';

describe('the name of a sending domain', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['  mail.example.com. ', 'mail.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['例え。テスト。', 'xn--r8jz45g.xn--zckzah'],
  ])('%p reads %p', (input, domain) => expect(normalizeDomain(input)).toBe(domain));

  it.each([
    'com',
    'localhost',
    '',
    '.',
    '*.example.com',
    '192.0.2.1',
    '[192.0.2.1]',
    '[IPv6:2001:db8::1]',
    'a@example.com',
    'https://example.com',
    'example.com/path',
    'example.com:25',
    'exa mple.com',
    'exam_ple.com',
    '-example.com',
    'example..com',
    'example.123',
    `${'a'.repeat(64)}.com`,
  ])('%p is refused', input =>
    expect(() => normalizeDomain(input)).toThrow(expect.objectContaining({ code: 'invalid_input' })),
  );
});
