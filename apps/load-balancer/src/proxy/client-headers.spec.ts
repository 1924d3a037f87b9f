import { describe, expect, it } from '@jest/globals';
import { isForwarding } from './client-headers.js';

describe('a header in which proxies describe a client', () => {
  it.each([
    'forwarded',
    'x-forwarded-for',
    'x_forwarded_for',
    'x-original-forwarded-for',
    'x-original-forwarded-proto',
    'x-original-url',
    'x-real-ip',
    'client-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'true-client-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'wl-proxy-client-ip',
    'wl-proxy-ssl',
    'cf-connecting-ip',
    'cf-connecting-ipv6',
    'do-connecting-ip',
    'x-appengine-user-ip',
    'x-azure-clientip',
    'x-azure-socketip',
    'x-envoy-external-address',
    'remote-addr',
    'x-source-ip',
    'cloudfront-viewer-address',
    'proxy',
  ])('is recognised: %s', name => expect(isForwarding(name)).toBe(true));

  it.each([
    'cookie',
    'authorization',
    'x-request-id',
    'x-zip',
    'x-user-id',
    'x-address',
    'x-description',
    'tip',
    'cf-ray',
  ])('is not %s', name => expect(isForwarding(name)).toBe(false));
});
