import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDnsServer, type TestDns } from '@postern/testing';
import { HostResolver } from './host-resolver.js';

let dns: TestDns;
let folder: string;
let hostsFile: string;
let resolvConf: string;

beforeAll(async () => {
  dns = await startDnsServer();
  folder = await mkdtemp(join(tmpdir(), 'postern-resolver-'));
  hostsFile = join(folder, 'hosts');
  resolvConf = join(folder, 'resolv.conf');
  await writeFile(hostsFile, '127.0.0.1 localhost\n10.1.2.3 relay relay.corp # the mail relay\nfe80::1 relay\n');
  await writeFile(
    resolvConf,
    'nameserver 10.0.0.10\nsearch mail.svc.cluster.test cluster.test\noptions ndots:5 timeout:2\n',
  );
});
beforeEach(() => {
  dns.queries.length = 0;
});
afterAll(async () => {
  await dns?.stop();
  await rm(folder, { recursive: true, force: true });
});

const resolverOf = (limitMs = 1_000) =>
  new HostResolver({ servers: [dns.address], limitMs, hostsFile, resolvConf: join(folder, 'absent') });

describe('a host', () => {
  it('is resolved once for any number of connections, and its addresses are kept', async () => {
    dns.setRecords('many.test', 'A', ['192.0.2.1']);
    const resolver = resolverOf();
    const found = await Promise.all(Array.from({ length: 100 }, () => resolver.resolve('many.test')));
    expect(found).toEqual(Array(100).fill([{ address: '192.0.2.1', family: 4 }]));
    await resolver.resolve('MANY.test');
    expect(dns.queries.filter(({ type }) => type === 'A')).toHaveLength(1);
  });

  it('with letters beyond ASCII is resolved by its name in the DNS', async () => {
    dns.setRecords('xn--bcher-kva.test', 'A', ['192.0.2.2']);
    expect(await resolverOf().resolve('bücher.test')).toEqual([{ address: '192.0.2.2', family: 4 }]);
  });

  it('of the hosts file is found there, and localhost always', async () => {
    const resolver = resolverOf();
    expect(await resolver.resolve('relay')).toEqual([
      { address: '10.1.2.3', family: 4 },
      { address: 'fe80::1', family: 6 },
    ]);
    expect(await resolver.resolve('localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolver.resolve('app.localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(dns.queries).toEqual([]);
  });

  it('with a short name is completed as resolv.conf says', async () => {
    dns.setRecords('postfix.mail.svc.cluster.test', 'A', ['192.0.2.3']);
    const resolver = new HostResolver({ servers: [dns.address], hostsFile, resolvConf });
    expect(await resolver.resolve('postfix')).toEqual([{ address: '192.0.2.3', family: 4 }]);
  });

  it('given as an address needs no name server', async () => {
    expect(await resolverOf().resolve('[2001:db8::1]')).toEqual([{ address: '2001:db8::1', family: 6 }]);
  });

  it.each([
    ['unknown.test', undefined, 'there is no host with this name'],
    ['failing.test', 'SERVFAIL', 'SERVFAIL'],
    ['refusing.test', 'REFUSED', 'refused to answer'],
  ] as const)('that cannot be resolved has a reason: %s', async (name, failure, reason) => {
    dns.failWith(name, failure);
    await expect(resolverOf().resolve(name)).rejects.toThrow(reason);
  });
});

describe('a name server that does not answer', () => {
  it('delays only its own hosts, within the limit, and is not asked again for seconds', async () => {
    dns.setRecords('healthy.test', 'A', ['192.0.2.4']);
    const silent = Array.from({ length: 50 }, (_, n) => `silent-${n}.test`);
    for (const name of silent) dns.failWith(name, 'TIMEOUT');
    const resolver = resolverOf();
    const waiting = silent.map(name => resolver.resolve(name).catch((error: Error) => error.message));
    const healthy = resolver.resolve('healthy.test');
    expect(await Promise.race([healthy, ...waiting])).toEqual([{ address: '192.0.2.4', family: 4 }]);
    expect(await Promise.all(waiting)).toEqual(silent.map(name => `${name}: no name server answered in time`));
    const queries = dns.queries.length;
    await expect(resolver.resolve('silent-0.test')).rejects.toThrow('no name server answered in time');
    expect(dns.queries).toHaveLength(queries);
  });
});
