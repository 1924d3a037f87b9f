import { describe, expect, it } from '@jest/globals';
import { type HostAddress, OutboundGuard } from './outbound-guard.js';

const PUBLIC: HostAddress = { address: '93.184.215.14', family: 4 };
const PUBLIC_IPV6: HostAddress = { address: '2606:2800:21f::1', family: 6 };
const PRIVATE: HostAddress = { address: '10.0.0.5', family: 4 };

const guardOf = (answer: readonly HostAddress[] | Error, allowPrivate = false) =>
  new OutboundGuard({
    allowPrivate,
    resolve: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('the guard', () => {
  it('returns all addresses of a public host', async () =>
    expect(await guardOf([PUBLIC, PUBLIC_IPV6]).addressesOf('a.test')).toEqual([PUBLIC, PUBLIC_IPV6]));

  it('refuses a host with an address that is not public', async () =>
    expect(await messageOf(guardOf([PUBLIC, PRIVATE]).addressesOf('a.test'))).toBe(
      'NoPublicAddress: a.test is not a host with a public address',
    ));

  it('gives the same error for a private host, an unknown host, and a host without addresses', async () => {
    const answers = [[PRIVATE], new Error('ENOTFOUND'), []];
    const messages = await Promise.all(answers.map(answer => messageOf(guardOf(answer).addressesOf('a.test'))));
    expect(new Set(messages).size).toBe(1);
  });

  it('checks a literal address without resolving it', async () => {
    expect(await messageOf(guardOf([PUBLIC]).addressesOf('169.254.169.254'))).toMatch(/^NoPublicAddress/);
    expect(await guardOf([PRIVATE]).addressesOf('93.184.215.14')).toEqual([PUBLIC]);
  });

  it('allows private addresses only if configured', async () =>
    expect(await guardOf([PRIVATE], true).addressesOf('a.test')).toEqual([PRIVATE]));

  it.each(['localhost', '0x7f.1', '2130706433', '127.1', '017700000001'])(
    'refuses %s, which the system resolver resolves to a loopback address',
    async host =>
      expect(await messageOf(new OutboundGuard({ allowPrivate: false }).addressesOf(host))).toMatch(/^NoPublicAddress/),
  );

  it('resolves for a connection that requires one address family', async () => {
    const { lookup } = guardOf([PUBLIC, PUBLIC_IPV6]);
    const found = await new Promise(resolve =>
      lookup('a.test', { family: 6 }, (error, address, family) => resolve([error, address, family])),
    );
    expect(found).toEqual([null, PUBLIC_IPV6.address, 6]);
  });
});
