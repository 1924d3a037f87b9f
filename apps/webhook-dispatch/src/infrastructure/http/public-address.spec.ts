import { describe, expect, it } from '@jest/globals';
import { guardedLookup, isPublicAddress, literalAddress } from './public-address.js';

const PRIVATE = [
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  'not an address',
];

describe('the address guard', () => {
  it.each(PRIVATE)('lets no call through to %s', address => expect(isPublicAddress(address)).toBe(false));

  it.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '64:ff9b::5db8:d70e'])(
    'lets calls through to %s',
    address => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://example.com/', undefined],
  ])('sees the address that %s names literally', (url, address) => expect(literalAddress(new URL(url))).toBe(address));

  it('fails the connection to a name that leads to this machine', async () => {
    const error = await new Promise(resolve => guardedLookup('localhost', {}, resolve));
    expect(error).toMatchObject({ name: 'PrivateAddressError' });
  });
});
