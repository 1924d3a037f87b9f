import { describe, expect, it } from '@jest/globals';
import { externalAccessInput } from './external-access.js';

const read = (...allowed_cidrs: unknown[]) => {
  const { data, error } = externalAccessInput.safeParse({ allowed_cidrs });
  return data?.allowed_cidrs ?? error?.issues.map(({ message }) => message).join();
};

describe('networks that may connect to a database', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['255.255.255.255/32', '255.255.255.255/32'],
  ])('%s is %s', (given, network) => expect(read(given)).toEqual([network]));

  it.each([
    ['203.0.113.7/24', 'write 203.0.113.0/24, or 203.0.113.7/32 for the address'],
    ['10.0.0.0/33', 'must be an IPv4 network in CIDR notation'],
    ['10.0.0.0/', 'must be an IPv4 network'],
    ['10.0.0/8', 'must be an IPv4 network'],
    ['256.0.0.1', 'must be an IPv4 network'],
    ['010.0.0.1', 'must be an IPv4 network'],
    ['', 'must be an IPv4 network'],
    [' 10.0.0.0/8', 'must be an IPv4 network'],
    ['10.0.0.0/8 scram-sha-256\nhost all all all trust', 'must be an IPv4 network'],
    ['::/0', 'IPv6'],
    ['2001:db8::1', 'IPv6'],
    ['::ffff:203.0.113.7', 'IPv6'],
    [5, 'string'],
  ])('%j is refused', (given, reason) => expect(read(given)).toContain(reason));

  it('are at most 50, each once', () => {
    const networks = Array.from({ length: 50 }, (_, n) => `10.0.${n}.0/24`);
    expect(read(...networks)).toEqual(networks);
    expect(read(...networks, '10.1.0.0/24')).toContain('50');
    expect(read('10.0.0.1', '10.0.0.1/32')).toBe('has 10.0.0.1/32 twice');
  });
});
