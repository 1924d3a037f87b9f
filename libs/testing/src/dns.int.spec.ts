import { Resolver } from 'node:dns/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startDnsServer, type TestDns } from './dns.js';

describe('a DNS server for a test', () => {
  let dns: TestDns;
  let resolver: Resolver;
  beforeEach(async () => {
    dns = await startDnsServer();
    resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([dns.address]);
  });
  afterEach(() => dns.stop());

  it('returns its records', async () => {
    dns.setRecords('example.com', 'A', ['192.0.2.7']);
    dns.setRecords('example.com', 'MX', [{ priority: 5, exchange: 'mx.example.com' }]);
    dns.setRecords('Example.com', 'TXT', ['v=spf1 -all', ['two ', 'strings']]);
    expect(await resolver.resolve4('example.com')).toEqual(['192.0.2.7']);
    expect(await resolver.resolveMx('example.com')).toMatchObject([{ priority: 5, exchange: 'mx.example.com' }]);
    expect(await resolver.resolveTxt('example.com')).toEqual([['v=spf1 -all'], ['two ', 'strings']]);
  });

  it('splits a long TXT text into strings of 255 bytes, as a DKIM key needs', async () => {
    const key = `v=DKIM1; p=${'A'.repeat(400)}`;
    dns.setRecords('s1._domainkey.example.com', 'TXT', [key]);
    const [strings] = await resolver.resolveTxt('s1._domainkey.example.com');
    expect(strings).toHaveLength(2);
    expect(strings?.join('')).toBe(key);
  });

  it('answers over TCP when a reply does not fit into a datagram', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(100, 'x'));
    dns.setRecords('big.example.com', 'TXT', texts);
    expect(await resolver.resolveTxt('big.example.com')).toHaveLength(40);
    expect(dns.queries.map(({ over }) => over)).toEqual(['udp', 'tcp']);
  });

  it('follows an alias to its target', async () => {
    dns.setRecords('www.example.com', 'CNAME', ['example.com']);
    dns.setRecords('example.com', 'TXT', ['found']);
    expect(await resolver.resolveCname('www.example.com')).toEqual(['example.com']);
    expect(await resolver.resolveTxt('www.example.com')).toEqual([['found']]);
  });

  it('distinguishes an unknown name from a name without such records', async () => {
    dns.setRecords('example.com', 'A', ['192.0.2.7']);
    await expect(resolver.resolveTxt('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolveTxt('example.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('fails as configured until that is reset', async () => {
    dns.setRecords('example.com', 'TXT', ['here']);
    dns.failWith('example.com', 'SERVFAIL');
    await expect(resolver.resolveTxt('example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    dns.failWith('example.com', 'TIMEOUT');
    await expect(resolver.resolveTxt('example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    dns.failWith('example.com', undefined);
    expect(await resolver.resolveTxt('example.com')).toEqual([['here']]);
    expect(dns.queries.length).toBeGreaterThanOrEqual(3);
  });
});
