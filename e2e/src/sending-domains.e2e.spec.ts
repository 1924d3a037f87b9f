/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';
import type { Sender } from './world.js';

const world = await sharedWorld();

describe('a new sending domain', () => {
  it('shows the three records to publish: SPF, DKIM and DMARC, each with its expected value', async () => {
    const domain = await add(await world.sender('Fresh'), 'Fresh.test');

    expect(domain).toMatchObject({ domain: 'fresh.test', status: 'pending', verified_at: null });
    expect(domain.records).toEqual([
      record('spf', 'fresh.test', /^v=spf1 include:spf\.postern\.test ~all$/),
      record('dkim', /^[a-z0-9-]+\._domainkey\.fresh\.test$/, /^v=DKIM1; ?k=rsa; ?p=[A-Za-z0-9+/]{300,}/),
      record('dmarc', '_dmarc.fresh.test', /^v=DMARC1;/),
    ]);
  });

  it.each([['https://shop.test/'], ['nobody@shop.test'], ['localhost'], ['a..test']])(
    'cannot be named %s',
    async name => {
      const sender = await world.sender('Misnamed');

      expect(await world.callDashboardApi('POST', `${sender.path}/domains`, { domain: name })).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/domain/) },
      });
    },
  );

  it('cannot be added twice to the same service', async () => {
    const sender = await world.sender('Twice');
    await add(sender, 'twice.test');

    expect((await world.callDashboardApi('POST', `${sender.path}/domains`, { domain: 'TWICE.test' })).status).toBe(409);
  });
});

describe('verification', () => {
  it('shows the value found for each record, and what is wrong with it', async () => {
    const sender = await world.sender('Muddled');
    const domain = await add(sender, 'muddled.test');
    const [spf, dkim, dmarc] = domain.records;
    await world.postern.dns.setText(spf?.name as string, 'v=spf1 include:spf.other.test -all');
    await world.postern.dns.setText(dkim?.name as string, 'v=DKIM1; k=rsa; p=AAAA');
    const checked = await verify(sender, domain);

    expect(checked).toMatchObject({ status: 'pending', last_checked_at: expect.any(String) });
    expect(checked.records).toMatchObject([
      {
        ok: false,
        found: ['v=spf1 include:spf.other.test -all'],
        problem: expect.stringMatching(/spf\.postern\.test/),
      },
      { ok: false, found: ['v=DKIM1; k=rsa; p=AAAA'], problem: expect.stringMatching(/another public key/) },
      { ok: false, found: [], problem: expect.stringContaining(dmarc?.name as string) },
    ]);
  });

  it('requires all three: with one missing the service stays in sandbox mode', async () => {
    const sender = await world.sender('Nearly');
    const domain = await add(sender, 'nearly.test');
    for (const missing of domain.records) {
      for (const { name, value } of domain.records) await world.postern.dns.setText(name, value);
      await world.postern.dns.removeText(missing.name);

      const { status, records } = await verify(sender, domain);
      expect({ status, missing: records.filter(({ ok }) => !ok).map(({ purpose }) => purpose) }).toEqual({
        status: 'pending',
        missing: [missing.purpose],
      });
    }
    expect((await world.callDashboardApi('GET', sender.path)).body).toMatchObject({ mode: 'sandbox' });
  });

  it('accepts an SPF record with additional senders, and any valid DMARC policy', async () => {
    const sender = await world.sender('Established');
    const domain = await add(sender, 'established.test');
    for (const { name, value } of domain.records) await world.postern.dns.setText(name, value);
    await world.postern.dns.setText('established.test', 'v=spf1 mx include:spf.postern.test ip4:192.0.2.1 -all');
    await world.postern.dns.setText('_dmarc.established.test', 'v=DMARC1; p=reject; rua=mailto:d@established.test');

    expect((await verify(sender, domain)).status).toBe('verified');
  });

  it('moves the service to production automatically: the gate is dropped and the real From is used and signed', async () => {
    const sender = await world.sender('Mover');
    const email = { ...HELLO, from: 'Mover <me@mover.test>', to: ['anyone@anywhere.test'] };
    expect((await sender.send(email)).status).toBe(400);

    const verified = await sender.verifyDomain('mover.test');
    const sent = await sender.send(email);

    expect(verified).toMatchObject({ status: 'verified', verified_at: expect.any(String) });
    expect((await world.callDashboardApi('GET', sender.path)).body).toMatchObject({
      mode: 'production',
      daily_limit: 1_000,
    });
    expect(sent.body).toMatchObject({ status: 'sent', mode: 'production', from: 'Mover <me@mover.test>' });
    const { raw } = await world.mailTo('anyone@anywhere.test');
    expect(raw).toMatch(/^From: Mover <me@mover\.test>\r$/m);
    expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([
      { result: 'pass', domain: 'mover.test' },
    ]);
  });

  it('a verified domain that loses its records is flagged and stays usable', async () => {
    const sender = await world.sender('Lossy', 'lossy.test');
    const [domain] = (await world.callDashboardApi('GET', `${sender.path}/domains`)).body as unknown as Domain[];
    await world.postern.dns.removeText('_dmarc.lossy.test');

    expect((await verify(sender, domain as Domain)).status).toBe('records_lost');
    expect((await sender.send({ ...HELLO, from: 'me@lossy.test' })).body).toMatchObject({ mode: 'production' });

    await world.postern.dns.setText('_dmarc.lossy.test', 'v=DMARC1; p=none');
    expect((await verify(sender, domain as Domain)).status).toBe('verified');
  });
});

describe('a production service that sends from a domain without verification', () => {
  let sender: Sender;

  beforeAll(async () => {
    sender = await world.sender('Production', 'production.test');
    await sender.verifyDomain('mail.parent.test');
    await add(sender, 'pending.test');
    await world.sender('Neighbour', 'neighbour.test');
  });

  it.each([
    ['a domain that it never registered', 'other.test'],
    ['a domain that is registered and not verified yet', 'pending.test'],
    ['a subdomain of its verified domain', 'sub.production.test'],
    ['the parent of its verified domain', 'parent.test'],
    ['the domain of another service', 'neighbour.test'],
  ])('%s: still sent, through the sandbox sender, with the reason', async (_, domain) => {
    const { status, body } = await sender.send({ ...HELLO, from: `Me <me@${domain}>`, to: ['anyone@anywhere.test'] });

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'sent',
        mode: 'sandbox_fallback',
        from: 'Postern Sandbox <sandbox@sandbox.postern.test>',
        to: ['anyone@anywhere.test'],
        message: expect.stringContaining(`${domain} `),
      },
    });
  });

  it('has the original from as Reply-To', async () => {
    await sender.send({ ...HELLO, from: 'Me <me@other.test>', to: ['replier@anywhere.test'] });

    const { raw } = await world.mailTo('replier@anywhere.test');
    expect(raw).toMatch(/^From: Postern Sandbox <sandbox@sandbox\.postern\.test>\r$/m);
    expect(raw).toMatch(/^Reply-To: Me <me@other\.test>\r$/m);
  });

  it('counts toward the production quota', async () => {
    const quota = await world.sender('Quota', 'quota.test');
    const sent = async () => (await world.callDashboardApi('GET', quota.path)).body['sent_today'];
    const before = await sent();
    await quota.send({ ...HELLO, from: 'me@other.test' });

    expect(await sent()).toBe(Number(before) + 1);
  });
});

describe('signing keys', () => {
  it('a rotated key signs once its own record is found; until then the old one does', async () => {
    const sender = await world.sender('Rotating', 'rotating.test');
    const [domain] = (await world.callDashboardApi('GET', `${sender.path}/domains`)).body as unknown as Domain[];
    const selectorOf = async (to: string) => {
      await sender.send({ ...HELLO, from: 'me@rotating.test', to: [to] });
      const { raw } = await world.mailTo(to);
      expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([
        { result: 'pass', domain: 'rotating.test' },
      ]);
      return /\bs=([^;\s]+);/.exec(raw)?.[1] as string;
    };
    const first = await selectorOf('first@anywhere.test');

    const rotating = await world.dashboard.post<Domain>(`${sender.path}/domains/${domain?.id}/rotate`, {});
    const next = rotating.records.findLast(({ purpose }) => purpose === 'dkim');
    expect(await selectorOf('second@anywhere.test')).toBe(first);

    await world.postern.dns.setText(next?.name as string, next?.value as string);
    await verify(sender, domain as Domain);
    expect(next?.name).toBe(`${await selectorOf('third@anywhere.test')}._domainkey.rotating.test`);
    expect(next?.name).not.toContain(`${first}.`);
  });

  it('every email service has its own key for the same domain', async () => {
    const domains = [
      await add(await world.sender('One'), 'shared.test'),
      await add(await world.sender('Two'), 'shared.test'),
    ];
    const keys = domains.map(({ records }) => records.find(({ purpose }) => purpose === 'dkim'));

    expect(keys[0]?.value).not.toBe(keys[1]?.value);
    expect(keys[0]?.name).not.toBe(keys[1]?.name);
  });
});

const HELLO = { from: 'me@shop.test', to: ['ada@customers.test'], subject: 'Hello', text: 'Hi.' };

interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly records: readonly {
    readonly purpose: string;
    readonly name: string;
    readonly value: string;
    readonly found: readonly string[] | null;
    readonly ok: boolean;
    readonly problem: string | null;
  }[];
}

const add = (sender: Sender, domain: string) => world.dashboard.post<Domain>(`${sender.path}/domains`, { domain });

const verify = (sender: Sender, { id }: Domain) =>
  world.dashboard.post<Domain>(`${sender.path}/domains/${id}/verify`, {});

const record = (purpose: string, name: string | RegExp, value: RegExp) => ({
  purpose,
  type: 'TXT',
  name: expect.stringMatching(name),
  value: expect.stringMatching(value),
  found: null,
  ok: false,
  problem: null,
});
