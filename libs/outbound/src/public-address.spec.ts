import { BlockList, isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress, literalAddress } from './public-address.js';

/**
 * The last column of the IANA registries, and metadata addresses of clouds; independent of the implementation's list.
 */
const IPV4_CLASSES = {
  'this network': '0.0.0.0/8',
  'private networks of class A': '10.0.0.0/8',
  'carrier-grade NAT': '100.64.0.0/10',
  loopback: '127.0.0.0/8',
  'link-local': '169.254.0.0/16',
  'private networks of class B': '172.16.0.0/12',
  'IETF protocols': '192.0.0.0/24',
  'documentation 1': '192.0.2.0/24',
  '6to4 relays': '192.88.99.0/24',
  'private networks of class C': '192.168.0.0/16',
  benchmarks: '198.18.0.0/15',
  'documentation 2': '198.51.100.0/24',
  'documentation 3': '203.0.113.0/24',
  multicast: '224.0.0.0/4',
  'reserved and broadcast': '240.0.0.0/4',
};

const METADATA = [
  '169.254.169.254', // AWS, Google, Azure, DigitalOcean, Hetzner, OpenStack
  '169.254.170.2', // AWS, containers
  '169.254.0.23', // Tencent
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fe80::a9fe:a9fe', // OpenStack
];

const dotted = (value: number): string => [24, 16, 8, 0].map(shift => (value >>> shift) & 255).join('.');
const hextets = (value: number): string => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
const octal = (value: number): string =>
  dotted(value)
    .split('.')
    .map(byte => `0${Number(byte).toString(8)}`)
    .join('.');

const inNetwork = (cidr: string): fc.Arbitrary<number> => {
  const [network = '', bits = '0'] = cidr.split('/');
  const first = network.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  const size = 2 ** (32 - Number(bits));
  return fc.oneof(fc.constantFrom(first, first + size - 1), fc.integer({ min: first, max: first + size - 1 }));
};

const special = new BlockList();
for (const cidr of Object.values(IPV4_CLASSES)) {
  const [network = '', bits = '0'] = cidr.split('/');
  special.addSubnet(network, Number(bits), 'ipv4');
}
special.addAddress('168.63.129.16');

const publicIpv4 = fc.nat({ max: 2 ** 32 - 1 }).filter(value => !special.check(dotted(value)));
const hextet = fc.nat({ max: 0xffff });
const ipv6 = (head: readonly number[]) =>
  fc
    .array(hextet, { minLength: 8 - head.length, maxLength: 8 - head.length })
    .map(rest => [...head, ...rest].map(part => part.toString(16)).join(':'));

describe('an IPv4 address', () => {
  it.each(Object.entries(IPV4_CLASSES))('of the class "%s" is not public in any notation', (_, cidr) =>
    fc.assert(
      fc.property(inNetwork(cidr), value => {
        expect(isPublicAddress(dotted(value))).toBe(false);
        expect(isPublicAddress(`::ffff:${dotted(value)}`)).toBe(false);
        expect(isPublicAddress(`::ffff:${hextets(value)}`)).toBe(false);
        expect(isPublicAddress(`::${hextets(value)}`)).toBe(false);
        expect(isPublicAddress(`64:ff9b::${hextets(value)}`)).toBe(false);
        expect(isPublicAddress(`64:ff9b:1::${hextets(value)}`)).toBe(false);
        expect(isPublicAddress(`2002:${hextets(value)}::1`)).toBe(false);
        expect(isPublicAddress(`2001:0:${hextets(value)}::1`)).toBe(false);
      }),
    ),
  );

  it('is read by the URL parser in decimal, octal and hexadecimal', () =>
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), value => {
        for (const host of [String(value), `0x${value.toString(16)}`, octal(value), `[::ffff:${dotted(value)}]`]) {
          const address = literalAddress(new URL(`https://${host}/`));
          expect(address).toBeDefined();
          expect(isPublicAddress(address!)).toBe(!special.check(dotted(value)));
        }
      }),
    ));

  it('outside these classes is public, also as an IPv4-mapped or NAT64 address', () =>
    fc.assert(
      fc.property(publicIpv4, value => {
        expect(isPublicAddress(dotted(value))).toBe(true);
        expect(isPublicAddress(`::ffff:${hextets(value)}`)).toBe(true);
        expect(isPublicAddress(`64:ff9b::${hextets(value)}`)).toBe(true);
      }),
    ));
});

describe('an IPv6 address', () => {
  it('outside 2000::/3 is not public unless it carries a public IPv4 address', () =>
    fc.assert(
      fc.property(
        hextet.filter(first => first >>> 13 !== 1).chain(first => ipv6([first])),
        address => {
          const carriesIpv4 = /^(?:0:0:0:0:0:ffff|64:ff9b:0:0:0:0):/.test(address);
          fc.pre(!carriesIpv4);
          expect(isPublicAddress(address)).toBe(false);
        },
      ),
    ));

  it.each([
    ['Teredo', [0x2001, 0]],
    ['IETF protocols', [0x2001, 0x1ff]],
    ['documentation', [0x2001, 0xdb8]],
    ['6to4', [0x2002]],
    ['documentation of RFC 9637', [0x3fff, 0xfff]],
    ['unique local addresses', [0xfd00]],
    ['link-local addresses', [0xfe80]],
    ['multicast', [0xff02]],
  ])('of %s is not public', (_, head) =>
    fc.assert(fc.property(ipv6(head), address => expect(isPublicAddress(address)).toBe(false))),
  );

  it.each(['2001:200::1', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '2a00:1450:4001::200e', '3ffe::1'])(
    'like %s is public',
    address => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['::', '::1', '::127.0.0.1', '4000::1', '2606:4700::1111%eth0', 'fe80::1%lo'])(
    'like %s is not public',
    address => expect(isPublicAddress(address)).toBe(false),
  );
});

describe('a public address', () => {
  it.each(METADATA)('is not %s, from which a cloud serves credentials or settings', address =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it.each(['1.0', '8.8.2056', '134744072', '010.8.8.8', '0x8.8.8.8'])('is not the short form %s', text =>
    expect(isPublicAddress(text)).toBe(false),
  );

  it('is always an IP address, for any text', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-fx:.%[\]]{1,40}$/)), text => {
        if (isPublicAddress(text)) expect(isIP(text)).toBeGreaterThan(0);
      }),
    ));
});
