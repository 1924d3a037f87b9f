import { describe, expect, it } from '@jest/globals';
import { domainName } from './domain-name.js';

const ALLOWED = ['example', 'test'];
const TARGET = 'shop-1a2b3c4d.apps.postern.test';

describe('The name of a custom domain', () => {
  it.each([
    ['Shop.Example.COM', 'shop.example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['shop.xn--bcher-kva.example', 'shop.xn--bcher-kva.example'],
    ['a.github.io', 'a.github.io'],
    ['apps.postern.test.example.com', 'apps.postern.test.example.com'],
  ])('%s is stored as %s', (text, stored) => expect(domainName(text, TARGET, ALLOWED)).toBe(stored));

  it.each([
    'localhost',
    'com',
    'co.uk',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '*.example.com',
    'shop_1.example.com',
    'https://example.com',
    'example.com/path',
    'example.com:443',
    'user@example.com',
    'a..example.com',
    '-a.example.com',
    '',
    '.',
    'example.com\u0000',
    'exa mple.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
    'apps.postern.test',
    'other-1a2b3c4d.apps.postern.test',
    'OTHER.APPS.postern.test.',
    'vault.service.consul',
    'postgres.default.svc.cluster.local',
    'wiki.internal',
    '1.0.0.10.in-addr.arpa',
  ])('%j is refused', text =>
    expect(() => domainName(text, TARGET, ALLOWED)).toThrow(expect.objectContaining({ code: 'invalid_input' })),
  );
});
