import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startDnsServer, type TestDns } from '@postern/testing';
import { DnsResolver } from './dns-resolver.js';

let dns: TestDns;
let resolver: DnsResolver;
beforeAll(async () => {
  dns = await startDnsServer();
  resolver = new DnsResolver({
    dnsServers: [dns.address],
    dnsTimeoutMs: 200,
    dnsTries: 2,
    privateDomainSuffixes: ['example'],
  });
});
afterAll(() => dns.stop());

describe('a lookup of TXT records', () => {
  it('joins the strings of one record and keeps several records apart', async () => {
    dns.setRecords('several.example', 'TXT', [['v=spf1 ', 'include:a.example -all'], 'other']);
    const answer = await resolver.resolveTxt('several.example');
    expect(answer).toEqual({
      kind: 'found',
      texts: expect.arrayContaining(['v=spf1 include:a.example -all', 'other']),
    });
  });

  it('reads a change at once', async () => {
    dns.setRecords('changed.example', 'TXT', ['before']);
    await resolver.resolveTxt('changed.example');
    dns.setRecords('changed.example', 'TXT', ['after']);
    await expect(resolver.resolveTxt('changed.example')).resolves.toEqual({ kind: 'found', texts: ['after'] });
  });

  it('reports a name without records, or that does not exist, as absent', async () => {
    dns.setRecords('address.example', 'A', ['192.0.2.1']);
    await expect(resolver.resolveTxt('address.example')).resolves.toEqual({ kind: 'absent' });
    await expect(resolver.resolveTxt('nowhere.example')).resolves.toEqual({ kind: 'absent' });
  });

  it.each([
    ['SERVFAIL', 'the name servers of the domain failed (SERVFAIL)'],
    ['REFUSED', 'the name server refused to answer'],
    ['TIMEOUT', 'no name server answered in time'],
  ] as const)('reports why there was no answer: %s', async (failure, reason) => {
    const name = `${failure.toLowerCase()}.example`;
    dns.setRecords(name, 'TXT', ['there all the same']);
    dns.failWith(name, failure);
    await expect(resolver.resolveTxt(name)).resolves.toEqual({ kind: 'unavailable', reason });
  });

  it('reports that no server answers', async () => {
    const unreachable = new DnsResolver({
      dnsServers: [`127.0.0.1:${await freePort()}`],
      dnsTimeoutMs: 200,
      dnsTries: 1,
      privateDomainSuffixes: ['example'],
    });
    await expect(unreachable.resolveTxt('some.example')).resolves.toMatchObject({ kind: 'unavailable' });
  });

  it('does not disclose the target of an alias outside the public DNS, or whether it exists', async () => {
    dns.setRecords('secret.vault.internal', 'TXT', ['token=hunter2']);
    for (const target of ['secret.vault.internal', 'nothing.vault.internal']) {
      dns.setRecords('x._domainkey.tenant.example', 'CNAME', [target]);
      expect(await resolver.resolveTxt('x._domainkey.tenant.example')).toEqual({ kind: 'refused' });
    }
  });

  it('does not query names outside the public DNS, such as those in an SPF record', async () => {
    dns.setRecords('wiki.internal', 'TXT', ['v=spf1 -all']);
    expect(await resolver.resolveTxt('wiki.internal')).toEqual({ kind: 'refused' });
    expect(await resolver.resolveCname('wiki.internal')).toEqual({ kind: 'refused' });
    expect(dns.queries.filter(({ name }) => name === 'wiki.internal')).toEqual([]);
  });
});
