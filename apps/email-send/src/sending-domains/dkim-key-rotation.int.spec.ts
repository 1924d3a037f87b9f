import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rotateDkimKey } from '@postern/contracts';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { type Domain, DomainOwner, type Owner } from '../testing/sending-domain-fixture.js';

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

describe('the rotation of a DKIM key', () => {
  it('keeps the old key signing until the new record is found, and destroys it then', async () => {
    const domain = await verifiedDomain();
    const selectorNow = async () => (await sender()).verifiedDomains.get(name)!.signers[0]!.identity.selector;
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
    const { selector } = (await sender()).verifiedDomains.get(name)!.signers[0]!.identity;
    expect(`${selector}._domainkey.${name}`).toBe(rotating.records[2]!.name);
  });
});
