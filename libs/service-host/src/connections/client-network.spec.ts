import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clientNetworkOf, wideNetworkOf } from './client-network.js';

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:c000:207', '192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['::1', '127.0.0.0/8', '0:0:0::/48'],
    ['127.0.0.1', '127.0.0.0/8', '127.0.0.0/24'],
    ['127.45.6.7', '127.0.0.0/8', '127.45.6.0/24'],
    ['::ffff:127.1.2.3', '127.0.0.0/8', '127.1.2.0/24'],
    ['', 'unknown', null],
    ['no address', 'unknown', null],
  ])('of %p is %p for limits and %p in logs', (address, network, wide) => {
    expect(clientNetworkOf(address)).toBe(network);
    expect(wideNetworkOf(address)).toBe(wide);
  });

  it('is the same for all addresses of a /64 and differs from every other /64', () => {
    const group = fc.nat(0xffff).map(value => value.toString(16));
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (prefix, one, other) => {
        const network = clientNetworkOf([...prefix, ...one].join(':'));
        fc.pre(network.endsWith('/64'));
        expect(clientNetworkOf([...prefix, ...other].join(':'))).toBe(network);
        const next = ((Number.parseInt(prefix[3]!, 16) + 1) & 0xffff).toString(16);
        expect(clientNetworkOf([...prefix.slice(0, 3), next, ...one].join(':'))).not.toBe(network);
      }),
    );
  });
});
