import { Resolver } from 'node:dns/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startDnsServer, type TestDns } from '@postern/testing';
import { blockListFindings } from './block-lists.js';

describe('A block list', () => {
  let dns: TestDns;
  beforeEach(async () => {
    dns = await startDnsServer();
  });
  afterEach(() => dns.stop());
  const verdicts = async () => {
    const lookup = new Resolver({ timeout: 300, tries: 1 });
    lookup.setServers([dns.address]);
    const findings = await blockListFindings(['192.0.2.10'], lookup);
    return findings.map(({ verdict, unknown }) => (unknown ? 'unknown' : verdict));
  };

  it('that has the address is a failure, and one that does not have it is good', async () => {
    dns.setRecords('10.2.0.192.zen.spamhaus.org', 'A', ['127.0.0.2']);
    expect(await verdicts()).toEqual(['bad', 'good']);
  });

  it('that does not answer, or not to this name server, says nothing', async () => {
    dns.setRecords('10.2.0.192.zen.spamhaus.org', 'A', ['127.255.255.254']);
    dns.failWith('10.2.0.192.b.barracudacentral.org', 'TIMEOUT');
    expect(await verdicts()).toEqual(['unknown', 'unknown']);
  });
});
