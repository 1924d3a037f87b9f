import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createEmailService,
  getEmailService,
  getSendingDomain,
  listSendingDomains,
  removeSendingDomain,
  verifySendingDomain,
} from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { dkimRecord } from '@postern/mail';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { type Domain, DomainOwner, type Owner } from '../testing/sending-domain-fixture.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';
import { sendingDomain, sendingDomainStream } from './sending-domain.js';

const DMARC = 'v=DMARC1; p=none; rua=mailto:reports@bounce.test';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let domainOwner: DomainOwner;
let owner: Owner;
let name: string;
beforeEach(async () => {
  domainOwner = await DomainOwner.create(fixture);
  ({ owner, name } = domainOwner);
});

const publish = (domain: Domain) => domainOwner.publish(domain);
const verify = (domain: Domain) => domainOwner.verify(domain);
const verifiedDomain = () => domainOwner.verifiedDomain();
const sender = async () => {
  const [first, second] = await domainOwner.senders();
  expect(first).toEqual(second);
  return first!;
};
const recordOf = (domain: Domain, purpose: string) => domain.records.find(record => record.purpose === purpose)!;
/** Runs the timer in both replicas, with every check due. */
const recheck = async () => {
  await fixture.pool.query('UPDATE domain_checks SET due_at = now()');
  await Promise.all(fixture.replicas.map(replica => replica.app.get(RecheckSendingDomains).run()));
};

describe('a sending domain', () => {
  it('shows the three records that have to be published', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name.toUpperCase() });
    expect(domain).toMatchObject({ domain: name, status: 'pending', verified_at: null });
    expect(domain.records).toEqual([
      expect.objectContaining({ purpose: 'spf', type: 'TXT', name, value: 'v=spf1 include:spf.postern.test ~all' }),
      expect.objectContaining({
        purpose: 'dkim',
        name: expect.stringMatching(new RegExp(`^postern-[a-z2-7]{8}\\._domainkey\\.${name}$`)),
        value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/),
      }),
      expect.objectContaining({ purpose: 'dmarc', name: `_dmarc.${name}`, value: DMARC }),
    ]);
  });

  it('is verified when all three are found, which moves its service to production permanently', async () => {
    const domain = await verifiedDomain();
    expect(domain.status).toBe('verified');
    expect(domain.records.map(({ ok, problem }) => [ok, problem])).toEqual(Array(3).fill([true, null]));
    expect(domain.records.map(({ found, value }) => found?.includes(value))).toEqual([true, true, true]);
    const production = { mode: 'production', daily_limit: 1_000, per_minute_limit: 600 };
    await expect(
      call(getEmailService, { workspace_id: owner.workspace_id, service_id: owner.service_id }),
    ).resolves.toMatchObject(production);
    const { mode, verifiedDomains, registeredDomains } = await sender();
    expect({ mode, verified: [...verifiedDomains.keys()], registered: [...registeredDomains] }).toEqual({
      mode: 'production',
      verified: [name],
      registered: [name],
    });

    await call(removeSendingDomain, { ...owner, domain_id: domain.id });
    expect(await sender()).toMatchObject({
      mode: 'production',
      verifiedDomains: new Map(),
      registeredDomains: new Set(),
    });
  });

  it('uses its optional records once they are found, and needs none of them', async () => {
    const domain = await verifiedDomain();
    const [ed25519, returnPath] = domain.optional_records ?? [];
    expect(domain.status).toBe('verified');
    expect(ed25519).toMatchObject({
      purpose: 'dkim_ed25519',
      type: 'TXT',
      name: recordOf(domain, 'dkim').name.replace('._domainkey', '-ed25519._domainkey'),
      value: expect.stringMatching(/^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/),
      ok: false,
    });
    expect(returnPath).toMatchObject({ purpose: 'return_path', type: 'CNAME', name: `bounces.${name}`, ok: false });
    expect((await sender()).verifiedDomains.get(name)).toEqual({ signers: [expect.anything()] });

    fixture.dns.setRecords(ed25519!.name, 'TXT', [ed25519!.value]);
    fixture.dns.setRecords(returnPath!.name, 'CNAME', [`${returnPath!.value}.`]);
    const { status, optional_records = [] } = await verify(domain);
    expect([status, ...optional_records.map(({ ok, problem }) => [ok, problem])]).toEqual([
      'verified',
      [true, null],
      [true, null],
    ]);
    const { signers, returnPathDomain } = (await sender()).verifiedDomains.get(name)!;
    expect(signers.map(({ identity }) => dkimRecord(identity.privateKey))).toEqual([
      recordOf(domain, 'dkim').value,
      ed25519!.value,
    ]);
    expect(returnPathDomain).toBe(`bounces.${name}`);

    fixture.dns.setRecords(returnPath!.name, 'CNAME', ['elsewhere.test']);
    fixture.dns.setRecords(ed25519!.name, 'TXT', []);
    const lost = await verify(domain);
    expect([lost.status, ...(lost.optional_records ?? []).map(({ problem }) => problem)]).toEqual([
      'verified',
      expect.stringContaining('has no DKIM record'),
      `bounces.${name} is an alias of elsewhere.test; it must be ${returnPath!.value}`,
    ]);
    expect((await sender()).verifiedDomains.get(name)).toEqual({ signers: [expect.anything()] });
  });

  it('gets an Ed25519 key at its next check if it was added before these keys', async () => {
    const domain = await verifiedDomain();
    await fixture.pool.query('DELETE FROM dkim_ed25519_keys');
    expect((await call(getSendingDomain, { ...owner, domain_id: domain.id })).optional_records).toHaveLength(1);
    await recheck();
    const { optional_records = [] } = await call(getSendingDomain, { ...owner, domain_id: domain.id });
    expect(optional_records.map(({ purpose }) => purpose)).toEqual(['dkim_ed25519', 'return_path']);
  });

  it('signs with the key whose record was shown', async () => {
    const domain = await verifiedDomain();
    const { verifiedDomains } = await sender();
    const { identity } = verifiedDomains.get(name)!.signers[0]!;
    expect(`${identity.selector}._domainkey.${name}`).toBe(recordOf(domain, 'dkim').name);
    const { rows } = await fixture.pool.query<{ sealed: string }>(
      'SELECT sealed_private_key AS sealed FROM dkim_keys WHERE domain_id = $1',
      [domain.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed).toMatch(/^test:[A-Za-z0-9+/=]+$/);
    expect(Buffer.from(rows[0]!.sealed.slice(5), 'base64').toString('latin1')).not.toContain('PRIVATE KEY');
  });

  it('is not verified while one record is missing or wrong, and shows the problem', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    fixture.dns.setRecords(name, 'TXT', ['v=spf1 -all', 'v=spf1 include:spf.postern.test']);
    fixture.dns.setRecords(recordOf(domain, 'dkim').name, 'TXT', [`v=DKIM1; p=${other}`]);
    fixture.dns.setRecords(`_dmarc.${name}`, 'TXT', ['v=DMARC1']);
    const checked = await verify(domain);
    expect(checked.status).toBe('pending');
    expect(checked.records.map(({ problem }) => problem)).toEqual([
      `${name} has 2 SPF records; merge them into one, or every SPF check fails`,
      `${recordOf(domain, 'dkim').name} has another public key`,
      `_dmarc.${name} has no policy; add p=none, p=quarantine or p=reject`,
    ]);
    expect(recordOf(checked, 'dkim').found).toEqual([`v=DKIM1; p=${other}`]);
    expect(checked.last_checked_at).not.toBeNull();
    expect(await sender()).toMatchObject({ mode: 'sandbox', registeredDomains: new Set([name]) });
  });

  it('does not show targets of aliases outside the public DNS', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    fixture.dns.setRecords('token.vault.internal', 'TXT', ['v=DKIM1; p=hunter2']);
    for (const record of domain.records) fixture.dns.setRecords(record.name, 'CNAME', ['token.vault.internal']);
    const { records } = await verify(domain);
    for (const { found, problem } of records)
      expect([found, problem]).toEqual([[], expect.stringContaining('an alias of a name outside the public DNS')]);
  });

  it('is checked on a timer without a request', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    await recheck();
    const verified = await call(getSendingDomain, { ...owner, domain_id: domain.id });
    expect(verified.status).toBe('verified');
    // Both times are rounded to milliseconds.
    const untilNextMs = Date.parse(verified.next_check_at ?? '') - Date.parse(verified.last_checked_at ?? '');
    expect(Math.round(untilNextMs / 1_000)).toBe(24 * 3_600);
    const { rows } = await fixture.pool.query<{ hours: number }>(
      'SELECT round(extract(epoch FROM due_at - now()) / 3600)::int AS hours FROM domain_checks WHERE domain_id = $1',
      [domain.id],
    );
    expect(rows).toEqual([{ hours: 24 }]);
  });

  it('moves its service to production even if the process died right after the domain was verified', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    const records = domain.records.map(({ purpose, name, value }) => {
      return { purpose, name, found: [value], ok: true, problem: null };
    });
    const streams = fixture.replicas[0].app.get(Streams);
    const at = new Date().toISOString();
    await streams.execute(sendingDomain, sendingDomainStream(domain.id), { kind: 'record-check', records, at });
    expect((await sender()).mode).toBe('sandbox');
    await recheck();
    expect((await sender()).mode).toBe('production');
  });

  it('is found in a record of several strings that only fits into TCP', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    fixture.dns.setRecords(name, 'TXT', [
      ...Array.from({ length: 8 }, (_, index) => `site-verification=${index}-${'x'.repeat(180)}`),
      ['v=spf1 include:spf.pos', 'tern.test -all'],
    ]);
    await expect(verify(domain)).resolves.toMatchObject({ status: 'verified' });
    expect(fixture.dns.queries).toContainEqual({ name, type: 'TXT', over: 'tcp' });
  });

  it('belongs to a service once, even with two requests at the same time, and may belong to several services', async () => {
    const both = await Promise.allSettled([
      call(addSendingDomain, { ...owner, domain: name }),
      call(addSendingDomain, { ...owner, domain: name }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'domain_exists' } });
    const { rows } = await fixture.pool.query(
      'SELECT k.id FROM dkim_keys k JOIN sending_domains d ON d.id = k.domain_id WHERE d.domain = $1',
      [name],
    );
    expect(rows).toHaveLength(1);

    const other = await call(createEmailService, { workspace_id: owner.workspace_id, name: 'Other' });
    const sameDomain = await call(addSendingDomain, { ...owner, service_id: other.id, domain: name });
    const [own] = await call(listSendingDomains, owner);
    expect(recordOf(sameDomain, 'dkim').name).not.toBe(recordOf(own!, 'dkim').name);
  });

  it('does not exist for other services and workspaces', async () => {
    const { id: domain_id } = await call(addSendingDomain, { ...owner, domain: name });
    const other = await call(createEmailService, { workspace_id: owner.workspace_id, name: 'Other' });
    await expect(call(verifySendingDomain, { ...owner, service_id: other.id, domain_id })).rejects.toMatchObject({
      code: 'domain_not_found',
    });
    await expect(call(removeSendingDomain, { ...owner, workspace_id: uuidv7(), domain_id })).rejects.toMatchObject({
      code: 'service_not_found',
    });
  });

  it('starts over, with a new key, when it is added again after its removal', async () => {
    const first = await verifiedDomain();
    await call(removeSendingDomain, { ...owner, domain_id: first.id });
    await expect(call(listSendingDomains, owner)).resolves.toEqual([]);
    const again = await call(addSendingDomain, { ...owner, domain: name });
    expect(again).toMatchObject({ status: 'pending', verified_at: null, last_checked_at: null });
    expect(recordOf(again, 'dkim').value).not.toBe(recordOf(first, 'dkim').value);
  });
});
