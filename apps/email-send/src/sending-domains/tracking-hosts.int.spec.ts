import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createEmailService,
  findTrackingHost,
  getSendingDomain,
  getWorkspaceOwners,
  removeSendingDomain,
  removeTrackingHost,
  setTrackingHost,
} from '@postern/contracts';
import { PosternServer, silentLog } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { type Domain, DomainOwner, type Owner } from '../testing/sending-domain-fixture.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';

const TARGET = 'mail.test';

let fixture: AdministrationFixture;
let platform: PosternServer;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
  platform = new PosternServer({ link: fixture.link, service: 'platform-management', log: silentLog });
  platform.handle(getWorkspaceOwners, async () => ({
    recipients: [{ user_id: uuidv7(), email: 'owner@example.com' }],
  }));
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
let host: string;
beforeEach(async () => {
  domainOwner = await DomainOwner.create(fixture);
  ({ owner, name } = domainOwner);
  host = `click.${name}`;
});

const setHost = (domain: Domain, to = host) => call(setTrackingHost, { ...owner, domain_id: domain.id, host: to });
const publish = () => fixture.dns.setRecords(host, 'CNAME', [`${TARGET}.`]);
const withTracking = async () => {
  const domain = await domainOwner.verifiedDomain();
  await setHost(domain);
  publish();
  return domainOwner.verify(domain);
};
const isServed = async (of = host) => (await call(findTrackingHost, { host: of })).verified;
/** The tracking host that each replica uses for messages from the domain. */
const used = async () =>
  (await domainOwner.senders()).map(sender => sender?.verifiedDomains.get(name)?.trackingHost ?? null);
const recheck = async () => {
  await fixture.pool.query('UPDATE domain_checks SET due_at = now()');
  await Promise.all(fixture.replicas.map(replica => replica.app.get(RecheckSendingDomains).run()));
};

describe('a tracking host', () => {
  it('shows the CNAME record to publish, and is used once a check finds it', async () => {
    const domain = await domainOwner.verifiedDomain();
    expect(domain.tracking).toBeNull();
    const { tracking } = await setHost(domain, ` Click.${name.toUpperCase()}. `);
    expect(tracking).toEqual({
      host,
      status: 'pending',
      verified_at: null,
      record: { purpose: 'tracking', type: 'CNAME', name: host, value: TARGET, found: null, ok: false, problem: null },
    });
    await recheck();
    const missing = await call(getSendingDomain, { ...owner, domain_id: domain.id });
    expect(missing).toMatchObject({
      status: 'verified',
      tracking: { status: 'pending', record: { problem: `${host} has no CNAME record` } },
    });
    expect([await used(), await isServed()]).toEqual([[null, null], false]);

    publish();
    await recheck();
    const found = await call(getSendingDomain, { ...owner, domain_id: domain.id });
    expect(found.tracking).toMatchObject({
      status: 'verified',
      verified_at: expect.any(String),
      record: { found: [TARGET], ok: true, problem: null },
    });
    expect([await used(), await isServed(), await isServed(host.toUpperCase())]).toEqual([[host, host], true, true]);
  });

  it('is verified by the addresses of the installation too, as a domain without a CNAME record', async () => {
    host = name;
    const domain = await domainOwner.verifiedDomain();
    await setHost(domain);
    fixture.dns.setRecords(TARGET, 'A', ['192.0.2.1']);
    fixture.dns.setRecords(host, 'A', ['192.0.2.1']);
    expect(await domainOwner.verify(domain)).toMatchObject({ status: 'verified', tracking: { status: 'verified' } });
    fixture.dns.setRecords(host, 'A', ['192.0.2.9']);
    expect((await domainOwner.verify(domain)).tracking).toMatchObject({ status: 'record_lost' });
  });

  it('of a domain that is not verified is neither used nor served, even if its record leads here', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    await setHost(domain);
    publish();
    expect(await domainOwner.verify(domain)).toMatchObject({ status: 'pending', tracking: { status: 'verified' } });
    expect([await used(), await isServed()]).toEqual([[null, null], false]);
  });

  it('that loses its record is not used any more, and the owner is mailed once; when the record returns, it is used again', async () => {
    const { id: domain_id } = await withTracking();
    fixture.dns.failWith(host, 'SERVFAIL');
    await recheck();
    expect(await used()).toEqual([host, host]);
    fixture.dns.failWith(host, undefined);
    fixture.dns.setRecords(host, 'CNAME', ['elsewhere.test']);
    await recheck();
    await recheck();
    const lost = await call(getSendingDomain, { ...owner, domain_id });
    expect(lost).toMatchObject({ status: 'verified', tracking: { status: 'record_lost' } });
    expect([await used(), await isServed()]).toEqual([[null, null], false]);
    const mails = fixture.smtp.messages.filter(({ raw }) => raw.includes(`DNS records of ${host}`));
    expect(mails.map(({ to }) => to.map(({ address }) => address))).toEqual([['owner@example.com']]);
    expect(mails[0]!.raw.toString()).toContain(`- ${host} is an alias of elsewhere.test; it must be ${TARGET}`);

    publish();
    await recheck();
    expect([await used(), await isServed()]).toEqual([[host, host], true]);
  });

  it('is changed, removed and deleted with its domain, and then neither used nor served', async () => {
    const domain = await withTracking();
    expect((await setHost(domain, `t.${name}`)).tracking).toMatchObject({ host: `t.${name}`, status: 'pending' });
    expect([await used(), await isServed()]).toEqual([[null, null], false]);
    await setHost(domain);
    await domainOwner.verify(domain);
    expect(await used()).toEqual([host, host]);

    expect((await call(removeTrackingHost, { ...owner, domain_id: domain.id })).tracking).toBeNull();
    expect([await used(), await isServed()]).toEqual([[null, null], false]);
    await expect(call(removeTrackingHost, { ...owner, domain_id: domain.id })).resolves.toMatchObject({
      tracking: null,
    });

    await setHost(domain);
    await domainOwner.verify(domain);
    expect(await isServed()).toBe(true);
    await call(removeSendingDomain, { ...owner, domain_id: domain.id });
    expect(await isServed()).toBe(false);
    expect((await call(addSendingDomain, { ...owner, domain: name })).tracking).toBeNull();
  });

  it('is refused with the reason if it is not below the domain or is no host name', async () => {
    const domain = await domainOwner.verifiedDomain();
    for (const wrong of ['click.example.net', 'localhost', 'https://click.example.com', '192.0.2.1', `*.${name}`]) {
      await expect(setHost(domain, wrong)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^host: /),
      });
    }
    const other = await call(createEmailService, { workspace_id: owner.workspace_id, name: 'Other' });
    const ofOther = { ...owner, service_id: other.id, domain_id: domain.id };
    await expect(call(setTrackingHost, { ...ofOther, host })).rejects.toMatchObject({ code: 'domain_not_found' });
    await expect(call(removeTrackingHost, ofOther)).rejects.toMatchObject({ code: 'domain_not_found' });
    const ofStranger = { ...owner, workspace_id: uuidv7(), domain_id: domain.id, host };
    await expect(call(setTrackingHost, ofStranger)).rejects.toMatchObject({ code: 'service_not_found' });
  });
});
