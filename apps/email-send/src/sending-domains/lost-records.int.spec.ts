import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { getSendingDomain, getWorkspaceOwners } from '@postern/contracts';
import { PosternServer, silentLog } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { type Domain, DomainOwner, type Owner } from '../testing/sending-domain-fixture.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';

let fixture: AdministrationFixture;
let platform: PosternServer;
/** The owners of every workspace, as platform-management knows them. */
let owners: { user_id: string; email: string }[];
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
  platform = new PosternServer({ link: fixture.link, service: 'platform-management', log: silentLog });
  platform.handle(getWorkspaceOwners, async () => ({ recipients: owners }));
  platform.listen();
}, 60_000);
afterAll(async () => {
  await platform?.close();
  await fixture?.stop();
});

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let domainOwner: DomainOwner;
let owner: Owner;
let name: string;
beforeEach(async () => {
  owners = [{ user_id: uuidv7(), email: 'owner@example.com' }];
  domainOwner = await DomainOwner.create(fixture);
  ({ owner, name } = domainOwner);
});

const publish = (domain: Domain) => domainOwner.publish(domain);
const verify = (domain: Domain) => domainOwner.verify(domain);
const verifiedDomain = () => domainOwner.verifiedDomain();
/** Runs the timer in both replicas, with every check due. */
const recheck = async () => {
  await fixture.pool.query('UPDATE domain_checks SET due_at = now()');
  await Promise.all(fixture.replicas.map(replica => replica.app.get(RecheckSendingDomains).run()));
};

describe('a verified domain', () => {
  it('stays verified while the DNS fails, and usable when its records are lost, and the present owners are mailed once about the loss', async () => {
    const domain = await verifiedDomain();
    // The creator of the service was removed meanwhile.
    owners = ['ada@example.com', 'bea@example.com'].map(email => ({ user_id: uuidv7(), email }));
    fixture.dns.failWith(name, 'SERVFAIL');
    fixture.dns.failWith(`_dmarc.${name}`, 'REFUSED');
    await expect(verify(domain)).resolves.toMatchObject({ status: 'verified' });

    fixture.dns.failWith(name, undefined);
    fixture.dns.failWith(`_dmarc.${name}`, undefined);
    fixture.dns.setRecords(`_dmarc.${name}`, 'TXT', []);
    await recheck();
    await recheck();
    const lost = await call(getSendingDomain, { ...owner, domain_id: domain.id });
    expect(lost).toMatchObject({ status: 'records_lost', verified_at: domain.verified_at });
    for (const sender of await domainOwner.senders()) expect(sender?.verifiedDomains.has(name)).toBe(true);
    const mails = fixture.smtp.messages.filter(({ raw }) => raw.includes(`DNS records of ${name}`));
    expect(mails.map(({ to }) => to.map(({ address }) => address))).toEqual([['ada@example.com'], ['bea@example.com']]);
    expect(mails[0]!.raw.toString()).toContain(`- _dmarc.${name} has no TXT record`);

    publish(domain);
    await expect(verify(domain)).resolves.toMatchObject({ status: 'verified' });
  });

  it('is mailed about again when no relay accepted the mail', async () => {
    const domain = await verifiedDomain();
    fixture.dns.setRecords(`_dmarc.${name}`, 'TXT', []);
    fixture.smtp.answer({ stage: 'mail', code: 451, text: 'later', times: 1 });
    await expect(recheck()).rejects.toThrow('1 sending domains were not checked');
    const mails = () => fixture.smtp.messages.filter(({ raw }) => raw.includes(`DNS records of ${name}`)).length;
    expect(mails()).toBe(0);
    await recheck();
    expect(mails()).toBe(1);
    await expect(call(getSendingDomain, { ...owner, domain_id: domain.id })).resolves.toMatchObject({
      status: 'records_lost',
    });
  });
});
