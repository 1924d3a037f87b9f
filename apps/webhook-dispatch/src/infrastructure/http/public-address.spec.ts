import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, literalAddress, lookupPublicAddress } from './public-address.js';

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

describe('a public address', () => {
  it.each(PRIVATE)('is not %s', address => expect(isPublicAddress(address)).toBe(false));

  it.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '64:ff9b::5db8:d70e'])('is %s', address =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://example.com/', undefined],
  ])('is also checked in the literal host of %s', (url, address) => expect(literalAddress(new URL(url))).toBe(address));

  it('is required for connections to host names', async () => {
    const error = await new Promise(resolve => lookupPublicAddress('localhost', {}, resolve));
    expect(error).toMatchObject({ name: 'PrivateAddressError' });
  });
});
