import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addCustomDomain,
  askCertificate,
  deleteWebService,
  listCustomDomains,
  removeCustomDomain,
  verifyCustomDomain,
} from '@postern/contracts';
import { createCertificates, eventually } from '@postern/testing';
import { ServedWebServices } from '../../testing/served-web-services.js';
import { CheckCertificates } from './check-certificates.js';

const SECURE = 'secure.example.com';

let fixture: ServedWebServices;
let proxy: Server;
beforeAll(async () => {
  const { cert, key } = createCertificates(`DNS:${SECURE}`).server;
  proxy = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  fixture = await ServedWebServices.start({ POSTERN_PLATFORM_TLS_PROXY: `127.0.0.1:${port}` });
}, 120_000);
afterAll(async () => {
  await fixture?.stop();
  proxy?.close();
});
beforeEach(() => {
  fixture.machine.features.add('customDomains');
});

const newService = () => fixture.newService();
const add = (service: Awaited<ReturnType<typeof newService>>, domain: string) =>
  fixture.client.request(addCustomDomain, { ...service, domain });
const verify = (service: Awaited<ReturnType<typeof newService>>, domain_id: string) =>
  fixture.client.request(verifyCustomDomain, { ...service, domain_id });
const isVerified = async (domain: string) => (await fixture.client.request(askCertificate, { domain })).verified;
const publish = ({ txt }: { txt: { name: string; value: string } }) =>
  fixture.dns.setRecords(txt.name, 'TXT', [txt.value]);
const routed = () => fixture.machine.domains.map(({ domain, webServiceId }) => [domain, webServiceId]);

describe('A custom domain', () => {
  it('is verified by a CNAME record to its target, routed, and available again after its deletion', async () => {
    const service = await newService();
    const added = await add(service, 'Shop.Example.com');
    expect(added).toMatchObject({ domain: 'shop.example.com', status: 'pending', target: expect.any(String) });
    expect(await verify(service, added.id)).toMatchObject({
      status: 'pending',
      message: expect.stringContaining('has no CNAME record'),
    });
    expect(await isVerified('shop.example.com')).toBe(false);

    fixture.dns.setRecords('shop.example.com', 'CNAME', [added.target]);
    expect(await verify(service, added.id)).toMatchObject({ status: 'verified', verified_at: expect.any(String) });
    expect(routed()).toContainEqual(['shop.example.com', service.web_service_id]);
    expect([
      await isVerified('shop.example.com'),
      await isVerified('SHOP.example.com.'),
      await isVerified('example.com'),
    ]).toEqual([true, true, false]);

    await fixture.client.request(removeCustomDomain, { ...service, domain_id: added.id });
    expect(await isVerified('shop.example.com')).toBe(false);
    expect(routed()).not.toContainEqual(['shop.example.com', service.web_service_id]);
    expect(await fixture.client.request(listCustomDomains, service)).toEqual([]);
  });

  it('belongs to one web service, and moves only after that web service can no longer prove it', async () => {
    const [one, other] = [await newService(), await newService()];
    const [first, second] = [await add(one, 'moves.example.com'), await add(other, 'moves.example.com')];
    publish(first);
    await verify(one, first.id);
    // The TXT records of both web services have the same name.
    fixture.dns.setRecords(first.txt.name, 'TXT', [first.txt.value, second.txt.value]);
    await expect(verify(other, second.id)).rejects.toMatchObject({ code: 'domain_taken' });
    expect(routed()).toContainEqual(['moves.example.com', one.web_service_id]);

    publish(second);
    expect(await verify(other, second.id)).toMatchObject({ status: 'verified' });
    expect(routed()).toContainEqual(['moves.example.com', other.web_service_id]);
    const [left] = await fixture.client.request(listCustomDomains, one);
    expect(left).toMatchObject({ status: 'pending', message: 'another web service has verified it' });
  });

  it('cannot be claimed with the record of another owner, nor changed by another owner', async () => {
    const [owner, attacker] = [await newService(), await newService()];
    const [own, claimed] = [await add(owner, 'bank.example.com'), await add(attacker, 'bank.example.com')];
    publish(own);
    expect(await verify(attacker, claimed.id)).toMatchObject({ status: 'pending' });
    await verify(owner, own.id);
    const notFound = { code: 'domain_not_found' };
    await expect(verify(attacker, own.id)).rejects.toMatchObject(notFound);
    const removal = fixture.client.request(removeCustomDomain, { ...attacker, domain_id: own.id });
    await expect(removal).rejects.toMatchObject(notFound);
    expect(await isVerified('bank.example.com')).toBe(true);
  });

  it('is not verified while its name servers fail, and keeps its status', async () => {
    const service = await newService();
    const added = await add(service, 'slow.example.com');
    fixture.dns.failWith('slow.example.com', 'SERVFAIL');
    await expect(verify(service, added.id)).rejects.toMatchObject({ code: 'dns_unavailable' });
    const [read] = await fixture.client.request(listCustomDomains, service);
    expect(read).toMatchObject({ status: 'pending', message: null });
  });

  it('is refused as a duplicate in one web service, as a public suffix, and if the runtime does not route domains', async () => {
    const service = await newService();
    await add(service, 'twice.example.com');
    await expect(add(service, 'TWICE.example.com.')).rejects.toMatchObject({ code: 'domain_exists' });
    await expect(add(service, 'co.uk')).rejects.toMatchObject({ code: 'invalid_input' });
    fixture.machine.features.delete('customDomains');
    await expect(add(service, 'other.example.com')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.each(['vault.service.consul', 'wiki.internal', 'postgres.default.svc.cluster.local'])(
    'cannot be %s, a name of the internal network of Postern',
    async domain => {
      const added = add(await newService(), domain);
      await expect(added).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('POSTERN_PRIVATE_DOMAIN_SUFFIXES'),
      });
    },
  );

  it('does not reveal a different target of its CNAME record', async () => {
    const service = await newService();
    const added = await add(service, 'alias.example.com');
    fixture.dns.setRecords('alias.example.com', 'CNAME', ['vault.service.consul']);
    const { message } = await verify(service, added.id);
    expect(message).toContain('its CNAME record names another host, and there is no TXT record');
    expect(message).not.toContain('consul');
  });

  it('does not reveal whether an internal name exists that its TXT record is an alias of', async () => {
    const service = await newService();
    const added = await add(service, 'delegated.example.com');
    const { message: nothing } = await verify(service, added.id);
    fixture.dns.setRecords('token.vault.internal', 'TXT', ['hunter2']);
    fixture.dns.setRecords(added.txt.name, 'CNAME', ['token.vault.internal']);
    expect(await verify(service, added.id)).toMatchObject({ status: 'pending', message: nothing });
  });

  it('is not needed for a certificate of the host name of a web service, as long as the web service exists', async () => {
    fixture.machine.domain = 'apps.example.com';
    const service = await newService();
    const host = `service-${service.web_service_id.slice(-8)}.apps.example.com`;
    const of = (name: string) => isVerified(name);
    await eventually(async () => expect(await of(host)).toBe(true));
    expect(await of(`${host.toUpperCase()}.`)).toBe(true);
    const digits = service.web_service_id.slice(-8);
    const others = [
      `other-${digits}.apps.example.com`,
      `service-${digits}.example.com`,
      `a.${host}`,
      `service-00000000.apps.example.com`,
      'apps.example.com',
      digits,
    ];
    expect(await Promise.all(others.map(of))).toEqual(others.map(() => false));
    await fixture.client.request(deleteWebService, service);
    await eventually(async () => expect(await of(host)).toBe(false));
    fixture.machine.domain = undefined;
  });

  it('is available again after its web service is deleted', async () => {
    const [gone, next] = [await newService(), await newService()];
    const first = await add(gone, 'inherited.example.com');
    publish(first);
    await verify(gone, first.id);
    await fixture.client.request(deleteWebService, gone);
    await eventually(async () => expect(await isVerified('inherited.example.com')).toBe(false));
    const second = await add(next, 'inherited.example.com');
    publish(second);
    expect(await verify(next, second.id)).toMatchObject({ status: 'verified' });
  });
});

describe('The certificate of a custom domain', () => {
  const check = () => fixture.replicas[0]!.app.get(CheckCertificates, { strict: false }).run();
  const certificatesOf = async (service: Awaited<ReturnType<typeof newService>>) =>
    (await fixture.client.request(listCustomDomains, service)).map(({ domain, certificate }) => [domain, certificate]);

  it('is checked at the TLS proxy once the domain is verified, and again after an hour', async () => {
    const service = await newService();
    for (const domain of [SECURE, 'insecure.example.com']) {
      const added = await add(service, domain);
      publish(added);
      await verify(service, added.id);
    }
    await add(service, 'unverified.example.com');
    await check();
    const first = await certificatesOf(service);
    expect(first).toEqual([
      [SECURE, { valid_until: expect.any(String), error: null, checked_at: expect.any(String) }],
      [
        'insecure.example.com',
        { valid_until: null, error: 'the TLS proxy served that of another name', checked_at: expect.any(String) },
      ],
      ['unverified.example.com', null],
    ]);
    await check();
    expect(await certificatesOf(service)).toEqual(first);
    await fixture.pool.query("UPDATE custom_domains SET certificate_checked_at = now() - interval '61 minutes'");
    await check();
    const again = await certificatesOf(service);
    expect(again.map(([domain]) => domain)).toEqual(first.map(([domain]) => domain));
    expect(again).not.toEqual(first);
  });
});
