import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clientNetwork } from './client-network.js';
import { ConnectionLimiter } from './connection-limiter.js';

describe('the network that a client counts as', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', 'unknown'],
    ['no address', 'unknown'],
  ])('%p is %p', (address, network) => expect(clientNetwork(address)).toBe(network));

  it('is the same for all addresses of a /64, and another one for any other', () => {
    const group = fc.nat(0xffff).map(value => value.toString(16));
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (prefix, one, other) => {
        const network = clientNetwork([...prefix, ...one].join(':'));
        fc.pre(network.endsWith('/64'));
        expect(clientNetwork([...prefix, ...other].join(':'))).toBe(network);
        const next = ((Number.parseInt(prefix[3]!, 16) + 1) & 0xffff).toString(16);
        expect(clientNetwork([...prefix.slice(0, 3), next, ...one].join(':'))).not.toBe(network);
      }),
    );
  });

  it('lets a client with a whole /64 open no more connections than any other', () => {
    const limits = {
      maxConnections: 200,
      maxConnectionsPerAddress: 50,
      maxMessagesPerMinute: 1_000,
      sessionMs: 60_000,
    };
    const limiter = new ConnectionLimiter(limits, () => {});
    const admitted = Array.from({ length: 200 }, (_, index) =>
      limiter.connect(`attacker ${index}`, clientNetwork(`2001:db8:bad:1::${index.toString(16)}`)),
    );
    expect(admitted.filter(Boolean)).toHaveLength(50);
    expect(limiter.connect('other', clientNetwork('2001:db8:bad:2::1'))).toBe(true);
    for (let index = 0; index < 200; index++) limiter.disconnect(`attacker ${index}`);
    limiter.disconnect('other');
    limiter.close();
  });
});
