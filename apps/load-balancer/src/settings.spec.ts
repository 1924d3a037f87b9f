import { describe, expect, it } from '@jest/globals';
import { settingsFrom } from './settings.js';

const trusts = (setting: string | undefined, address: string): boolean =>
  settingsFrom({
    POSTERN_PLATFORM_HOME: '/home',
    POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES: setting,
  }).trustedProxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4');

describe('trusted proxies', () => {
  it.each([
    [undefined, '127.0.0.1', false],
    [undefined, '::ffff:10.1.2.3', false],
    ['', '127.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['loopback', '127.0.0.1', true],
    ['203.0.113.0/24, 2001:db8::1', '203.0.113.9', true],
    ['203.0.113.0/24, 2001:db8::1', '2001:db8::1', true],
    ['203.0.113.0/24, 2001:db8::1', '127.0.0.1', false],
    ['none', '127.0.0.1', false],
  ])('of the setting %s include %s: %s', (setting, address, expected) =>
    expect(trusts(setting, address)).toBe(expected),
  );

  it.each(['proxy.test', '10.0.0.0/33', '10.0.0.0/', '10.0.0.1,'])('cannot be "%s"', setting =>
    expect(() => trusts(setting, '127.0.0.1')).toThrow('is not an address or a CIDR range'),
  );
});
