import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSendingDomain } from '@postern/contracts';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { DomainOwner } from '../testing/sending-domain-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

describe('a sending domain', () => {
  it('that is a subdomain uses the DMARC policy of its organizational domain and does not offer a weaker one', async () => {
    const domainOwner = await DomainOwner.create(fixture);
    const { owner, name } = domainOwner;
    const policy = 'v=DMARC1; p=reject; sp=quarantine';
    const domain = await fixture.client.request(addSendingDomain, { ...owner, domain: `mail.${name}` });
    domainOwner.publish({ ...domain, records: domain.records.filter(({ purpose }) => purpose !== 'dmarc') });
    fixture.dns.setRecords(`_dmarc.${name}`, 'TXT', [policy]);
    const verified = await domainOwner.verify(domain);
    expect(verified.status).toBe('verified');
    expect(verified.records.find(({ purpose }) => purpose === 'dmarc')).toMatchObject({
      name: `_dmarc.${name}`,
      value: policy,
      found: [policy],
      ok: true,
    });
  });
});
