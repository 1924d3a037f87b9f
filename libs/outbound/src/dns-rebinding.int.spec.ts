import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startDnsServer, type TestDns } from '@postern/testing';
import { isPublicAddress, OutboundGuard } from './index.js';

const PUBLIC = '93.184.215.14';

describe('a DNS server that changes its answer', () => {
  let dns: TestDns;
  let inner: Server;
  let connections: number;

  beforeEach(async () => {
    dns = await startDnsServer();
    connections = 0;
    inner = createServer(socket => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
  });

  afterEach(async () => {
    inner.close();
    await dns.stop();
  });

  const guardOf = (isPublic = isPublicAddress) => {
    const resolver = new Resolver();
    resolver.setServers([dns.address]);
    const resolve = async (hostname: string) =>
      (await resolver.resolve4(hostname)).map(address => ({ address, family: 4 }));
    return new OutboundGuard({ allowPrivate: false, resolve, isPublic });
  };

  const outcomeOf = (guard: OutboundGuard): Promise<string> =>
    new Promise(resolve => {
      const { port } = inner.address() as AddressInfo;
      const socket = connect({ host: 'rebind.test', port, lookup: guard.lookup });
      socket.once('connect', () => resolve(`connected to ${socket.remoteAddress}`));
      socket.once('error', error => resolve(error.message));
    });

  it('cannot direct the connection to a private address after the host was accepted', async () => {
    dns.rebind('rebind.test', [PUBLIC, '127.0.0.1']);
    const guard = guardOf();
    expect(await guard.addressesOf('rebind.test')).toEqual([{ address: PUBLIC, family: 4 }]);
    expect(await outcomeOf(guard)).toBe('rebind.test is not a host with a public address');
    expect(connections).toBe(0);
  });

  it('cannot change the address between the check and the connection', async () => {
    dns.rebind('rebind.test', ['127.0.0.1', '127.0.0.2']);
    expect(await outcomeOf(guardOf(address => address === '127.0.0.1'))).toBe('connected to 127.0.0.1');
    expect(dns.queries).toHaveLength(1);
  });
});
