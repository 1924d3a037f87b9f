import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSendingDomain,
  createApiKey,
  createEmailService,
  getEmailService,
  getSendingDomain,
  listSendingDomains,
  type ReplyOf,
  removeSendingDomain,
  rotateDkimKey,
  verifySendingDomain,
} from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v7 as uuidv7 } from 'uuid';
import { PostgresSenderDirectory } from '../api-keys/postgres-sender-directory.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { RecheckSendingDomains } from './recheck-sending-domains.js';
import { sendingDomain, sendingDomainStream } from './sending-domain.js';

type Domain = ReplyOf<typeof addSendingDomain>;

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let owner: { workspace_id: string; service_id: string };
let key: string;
let name: string;
let count = 0;
beforeEach(async () => {
  const workspace_id = uuidv7();
  const service = await call(createEmailService, { workspace_id, name: 'App', owner_email: 'owner@example.com' });
  owner = { workspace_id, service_id: service.id };
  ({ key } = await call(createApiKey, { ...owner, name: 'app' }));
  name = `shop${++count}.example`;
});

const publish = (domain: Domain) => {
  for (const record of domain.records) fixture.dns.setRecords(record.name, 'TXT', [record.value]);
};
const verify = (domain: Domain) => call(verifySendingDomain, { ...owner, domain_id: domain.id });
const verifiedDomain = async () => {
  const domain = await call(addSendingDomain, { ...owner, domain: name });
  publish(domain);
  return verify(domain);
};
const sender = async () => {
  const hash = createHash('sha256').update(key).digest('hex');
  const [first, second] = await Promise.all(
    fixture.replicas.map(replica => replica.app.get(PostgresSenderDirectory).findByKeyHash(hash)),
  );
  expect(first).toEqual(second);
  return first!;
};
const recordOf = (domain: Domain, purpose: string) => domain.records.find(record => record.purpose === purpose)!;
/** What the timer does in both replicas, with every check due now. */
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
      expect.objectContaining({ purpose: 'dmarc', name: `_dmarc.${name}`, value: 'v=DMARC1; p=none' }),
    ]);
  });

  it('is verified when all three are found, which moves its service to production for good', async () => {
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

  it('signs with the key whose record was shown', async () => {
    const domain = await verifiedDomain();
    const { verifiedDomains } = await sender();
    const { identity } = verifiedDomains.get(name)!;
    expect(`${identity.selector}._domainkey.${name}`).toBe(recordOf(domain, 'dkim').name);
    const { rows } = await fixture.pool.query<{ sealed: string }>(
      'SELECT sealed_private_key AS sealed FROM dkim_keys WHERE domain_id = $1',
      [domain.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed).toMatch(/^test:[A-Za-z0-9+/=]+$/);
    expect(Buffer.from(rows[0]!.sealed.slice(5), 'base64').toString('latin1')).not.toContain('PRIVATE KEY');
  });

  it('is not verified while one record is missing or wrong, and says what is wrong with it', async () => {
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
      `${recordOf(domain, 'dkim').name} has a different public key`,
      `_dmarc.${name} has no policy; add p=none, p=quarantine or p=reject`,
    ]);
    expect(recordOf(checked, 'dkim').found).toEqual([`v=DKIM1; p=${other}`]);
    expect(checked.last_checked_at).not.toBeNull();
    expect(await sender()).toMatchObject({ mode: 'sandbox', registeredDomains: new Set([name]) });
  });

  it('is checked on a timer without a request', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    await recheck();
    await expect(call(getSendingDomain, { ...owner, domain_id: domain.id })).resolves.toMatchObject({
      status: 'verified',
    });
    const { rows } = await fixture.pool.query<{ hours: number }>(
      'SELECT round(extract(epoch FROM due_at - now()) / 3600)::int AS hours FROM domain_checks WHERE domain_id = $1',
      [domain.id],
    );
    expect(rows).toEqual([{ hours: 24 }]);
  });

  it('moves its service to production also where the process died right after the domain was verified', async () => {
    const domain = await call(addSendingDomain, { ...owner, domain: name });
    publish(domain);
    const records = domain.records.map(({ purpose, name, value }) => {
      return { purpose, name, found: [value], ok: true, problem: null };
    });
    const streams = fixture.replicas[0].app.get(Streams);
    const at = new Date().toISOString();
    await streams.execute(sendingDomain, sendingDomainStream(domain.id), { kind: 'see-records', records, at });
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

  it('stays verified while the DNS fails, and usable when its records are lost, and the owner is mailed once about the loss', async () => {
    const domain = await verifiedDomain();
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
    expect((await sender()).verifiedDomains.has(name)).toBe(true);
    const mails = fixture.smtp.messages.filter(({ raw }) => raw.includes(`DNS records of ${name}`));
    expect(mails.map(({ to }) => to.map(({ address }) => address))).toEqual([['owner@example.com']]);
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
    const twin = await call(addSendingDomain, { ...owner, service_id: other.id, domain: name });
    const [own] = await call(listSendingDomains, owner);
    expect(recordOf(twin, 'dkim').name).not.toBe(recordOf(own!, 'dkim').name);
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

  it('begins anew, with a new key, when it is added again after its removal', async () => {
    const first = await verifiedDomain();
    await call(removeSendingDomain, { ...owner, domain_id: first.id });
    await expect(call(listSendingDomains, owner)).resolves.toEqual([]);
    const again = await call(addSendingDomain, { ...owner, domain: name });
    expect(again).toMatchObject({ status: 'pending', verified_at: null, last_checked_at: null });
    expect(recordOf(again, 'dkim').value).not.toBe(recordOf(first, 'dkim').value);
  });
});

describe('the rotation of a DKIM key', () => {
  it('keeps the old key signing until the new record is found, and destroys it then', async () => {
    const domain = await verifiedDomain();
    const selectorNow = async () => (await sender()).verifiedDomains.get(name)!.identity.selector;
    const old = await selectorNow();
    const rotating = await call(rotateDkimKey, { ...owner, domain_id: domain.id });
    expect(rotating.records.map(({ purpose }) => purpose)).toEqual(['spf', 'dkim', 'dkim', 'dmarc']);
    await expect(verify(domain)).resolves.toMatchObject({ status: 'verified' });
    expect(await selectorNow()).toBe(old);
    await expect(call(rotateDkimKey, { ...owner, domain_id: domain.id })).rejects.toMatchObject({
      code: 'rotation_under_way',
    });
    const keys = () => fixture.pool.query('SELECT selector FROM dkim_keys WHERE domain_id = $1', [domain.id]);
    expect((await keys()).rows).toHaveLength(2);

    publish(rotating);
    const rotated = await verify(domain);
    expect(rotated.records.map(({ purpose }) => purpose)).toEqual(['spf', 'dkim', 'dmarc']);
    expect(await selectorNow()).not.toBe(old);
    expect(`${await selectorNow()}._domainkey.${name}`).toBe(rotating.records[2]!.name);
    expect((await keys()).rows).toEqual([{ selector: await selectorNow() }]);
  });

  it('signs with the new key while the read model still names the deleted one', async () => {
    const domain = await verifiedDomain();
    const rotating = await call(rotateDkimKey, { ...owner, domain_id: domain.id });
    await fixture.pool.query(
      `WITH deleted AS (
         DELETE FROM dkim_keys WHERE id = (SELECT (dkim->>'key_id')::uuid FROM sending_domains WHERE id = $1)
       )
       UPDATE sender_revisions SET revision = revision || '!' WHERE service_id = $2`,
      [domain.id, owner.service_id],
    );
    const { selector } = (await sender()).verifiedDomains.get(name)!.identity;
    expect(`${selector}._domainkey.${name}`).toBe(rotating.records[2]!.name);
  });
});
