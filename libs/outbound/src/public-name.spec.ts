import { describe, expect, it } from '@jest/globals';
import { isPublicName } from './public-name.js';

describe('A name of the public DNS', () => {
  it.each(['example.com', 'a.b.example.co.uk', 'Shop.Example.COM.', 'xn--bcher-kva.de', 'a.github.io', 'foo.ck'])(
    'is %s',
    name => expect(isPublicName(name)).toBe(true),
  );

  it.each([
    'vault.service.consul',
    'postgres.default.svc.cluster.local',
    'printer.local',
    'wiki.internal',
    'router.lan',
    'nas.home.arpa',
    '1.0.0.10.in-addr.arpa',
    'a.onion',
    'localhost',
    'app.localhost',
    'shop.test',
    'shop.example',
    'x.invalid',
    'ad.corp',
  ])('is not %s', name => expect(isPublicName(name)).toBe(false));

  it('can be below a suffix that the operator allows', () => {
    expect(isPublicName('wiki.Corp', ['test', 'corp'])).toBe(true);
    expect(isPublicName('wiki.ad.corp', ['.ad.corp'])).toBe(true);
    expect(isPublicName('wiki.corp', ['ad.corp'])).toBe(false);
    expect(isPublicName('wiki.notcorp', ['corp'])).toBe(false);
  });
});
