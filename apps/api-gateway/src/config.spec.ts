import { describe, expect, it } from '@jest/globals';
import { config, trustedProxiesOf } from './config.js';

const proxiesOf = (environment: Record<string, string>) =>
  trustedProxiesOf(config.read({ POSTERN_LINK_SECRETS: 'x'.repeat(32), ...environment }));

const HTTPS = { POSTERN_PUBLIC_URL: 'https://mail.example.com' };

describe('the trusted proxies', () => {
  it('are required for an https URL', () => {
    expect(() => proxiesOf(HTTPS)).toThrow(/POSTERN_TRUSTED_PROXIES: is required .* or to "none"/);
    expect(() => proxiesOf({ ...HTTPS, POSTERN_TRUSTED_PROXIES: '' })).toThrow('POSTERN_TRUSTED_PROXIES');
  });

  it('can be none', () => {
    expect(proxiesOf({ ...HTTPS, POSTERN_TRUSTED_PROXIES: 'none' })).toEqual([]);
    expect(proxiesOf({})).toEqual([]);
  });

  it('are addresses and networks', () =>
    expect(proxiesOf({ ...HTTPS, POSTERN_TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toEqual(['10.0.0.0/8', '::1']));

  it('cannot combine none with other entries', () =>
    expect(() => proxiesOf({ POSTERN_TRUSTED_PROXIES: 'none, ::1' })).toThrow('"none" excludes other entries'));
});
