import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startDnsServer, type TestDns } from '@postern/testing';
import dnsPacket, { type Answer } from 'dns-packet';
import { DnsUnavailable, OutsidePublicDns, PublicDns } from './index.js';

let dns: TestDns;
let resolver: PublicDns;
const dnsOf = (...servers: string[]) => new PublicDns({ servers, privateSuffixes: ['corp'], timeoutMs: 300, tries: 2 });

beforeAll(async () => {
  dns = await startDnsServer();
  resolver = dnsOf(dns.address);
});
afterAll(() => dns.stop());

const refusalOf = (name: string, by = resolver): Promise<string> =>
  by.texts(name).then(
    texts => `found ${texts.join()}`,
    (error: Error) => (error instanceof OutsidePublicDns ? error.message : `${error}`),
  );

describe('a look-up of TXT records', () => {
  it('follows aliases in the public DNS, and below suffixes that the operator allows', async () => {
    dns.setRecords('key.tenant.com', 'CNAME', ['key.provider.net']);
    dns.setRecords('key.provider.net', 'CNAME', ['_key.unit_1.provider.corp']);
    dns.setRecords('_key.unit_1.provider.corp', 'TXT', [['v=DKIM1; ', 'p=abc']]);
    expect(await resolver.texts('key.tenant.com')).toEqual(['v=DKIM1; p=abc']);
  });

  it('gives the same result for an alias of an existing internal name and of an absent one', async () => {
    dns.setRecords('token.vault.internal', 'TXT', ['hunter2']);
    dns.setRecords('there.tenant.com', 'CNAME', ['hop.tenant.com']);
    dns.setRecords('hop.tenant.com', 'CNAME', ['token.vault.internal']);
    dns.setRecords('nowhere.tenant.com', 'CNAME', ['nothing.vault.internal']);
    expect([await refusalOf('there.tenant.com'), await refusalOf('nowhere.tenant.com')]).toEqual([
      'there.tenant.com leads to a name outside the public DNS',
      'nowhere.tenant.com leads to a name outside the public DNS',
    ]);
  });

  it.each(['vault.service.consul', 'localhost', 'db.default.svc.cluster.local', '1.0.0.10.in-addr.arpa'])(
    'sends no query to any server about %s',
    async name => {
      expect(await refusalOf(name)).toBe(`${name} leads to a name outside the public DNS`);
      expect(dns.queries.filter(query => query.name === name)).toEqual([]);
    },
  );

  it('reads a response that does not fit into UDP over TCP', async () => {
    const text = 'long '.repeat(2_000);
    dns.setRecords('long.tenant.com', 'TXT', [text]);
    expect(await resolver.texts('long.tenant.com')).toEqual([text]);
    expect(dns.queries.filter(({ name }) => name === 'long.tenant.com').map(({ over }) => over)).toEqual([
      'udp',
      'tcp',
    ]);
  });

  it('finds nothing for a name that is absent, has other records, or cannot exist', async () => {
    dns.setRecords('address.tenant.com', 'A', ['192.0.2.1']);
    for (const name of ['absent.tenant.com', 'address.tenant.com', `${'a'.repeat(64)}.tenant.com`, 'a..tenant.com'])
      expect(await resolver.texts(name)).toEqual([]);
  });

  it('queries the next server if one does not respond', async () => {
    dns.setRecords('second.tenant.com', 'TXT', ['from the second']);
    const nobody = `127.0.0.1:${await freePort()}`;
    expect(await dnsOf(nobody, dns.address).texts('second.tenant.com')).toEqual(['from the second']);
    await expect(dnsOf(nobody).texts('second.tenant.com')).rejects.toThrow(
      new DnsUnavailable('no name server could be reached'),
    );
  });
});

describe('a look-up of aliases', () => {
  it('returns the record of the name itself, and nothing about its target', async () => {
    dns.setRecords('bounces.tenant.com', 'CNAME', ['Host.Wiki.internal']);
    dns.queries.length = 0;
    expect(await resolver.aliases('bounces.tenant.com')).toEqual(['Host.Wiki.internal']);
    expect(dns.queries.map(({ name }) => name)).toEqual(['bounces.tenant.com']);
  });
});

describe('A crafted response', () => {
  let socket: Socket;
  let answers: readonly Answer[];
  let idOffset: number;

  beforeAll(async () => {
    socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (bytes, { port, address }) => {
      const { id = 0, questions = [] } = dnsPacket.decode(bytes);
      const made = { type: 'response' as const, id: (id + idOffset) % 65_536, questions, answers: [...answers] };
      socket.send(dnsPacket.encode(made), port, address);
    });
  });
  afterAll(() => {
    socket.close();
  });
  const byHand = () => dnsOf(`127.0.0.1:${socket.address().port}`);

  it('is refused if it contains records of an internal name without the alias', async () => {
    [idOffset, answers] = [0, [{ type: 'TXT', name: 'token.vault.internal', data: 'hunter2' }]];
    expect(await refusalOf('flat.tenant.com', byHand())).toBe('flat.tenant.com leads to a name outside the public DNS');
  });

  it('is ignored if it does not carry the id of the query', async () => {
    [idOffset, answers] = [1, [{ type: 'TXT', name: 'forged.tenant.com', data: 'forged' }]];
    expect(await refusalOf('forged.tenant.com', byHand())).toBe('DnsUnavailable: no name server answered in time');
  });
});
