import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { type Sender, World } from './world.js';

let world: World;
let sender: Sender;

beforeAll(async () => {
  world = await World.start();
  sender = await world.sender('New');
  await sender.verifyRecipient('friend@home.test');
}, 120_000);

afterAll(() => world.stop());

const HELLO = { from: 'Me <me@my-company.test>', to: ['friend@home.test'], subject: 'Hello', text: 'Hi.' };

describe('a new service', () => {
  it('is in sandbox mode', async () =>
    expect(await world.dashboard.get(sender.path)).toMatchObject({
      mode: 'sandbox',
      daily_limit: 50,
      per_minute_limit: 60,
    }));

  it('sends from the shared sandbox sender and carries the original from as Reply-To', async () => {
    const { status, body } = await sender.send({ ...HELLO, reply_to: ['help@my-company.test'] });
    const mail = await PostalMime.parse(
      (await world.mailTo('friend@home.test', ({ raw }) => raw.includes('help@'))).raw,
    );

    expect({ status, mode: body['mode'], from: body['from'] }).toEqual({
      status: 200,
      mode: 'sandbox',
      from: expect.stringMatching(/^Postern Sandbox <sandbox@/),
    });
    expect(mail.from?.address).toMatch(/^sandbox@/);
    expect(mail.replyTo?.map(({ address }) => address)).toEqual(['me@my-company.test', 'help@my-company.test']);
  });

  it('finds a verified recipient whatever the case of its letters', async () =>
    expect((await sender.send({ ...HELLO, to: ['Friend@HOME.test'] })).status).toBe(200));

  it.each(['to', 'cc', 'bcc'])('refuses an unverified recipient in %s and names it', async field =>
    expect(await sender.send({ ...HELLO, [field]: ['stranger@home.test'] })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/stranger@home\.test is not a verified sandbox recipient/) },
    }),
  );

  it("takes the simulator's addresses without verification", async () => {
    const { status, body } = await sender.send({ ...HELLO, to: ['hard-bounce@simulator.test'] });
    expect(status).toBe(200);
    expect((await sender.event('bounced', body['id'] as string)).data).toMatchObject({ bounce_type: 'hard' });
  });
});

describe('a verified recipient', () => {
  it('is verified by the right code and by no other', async () => {
    const path = `${sender.path}/recipients`;
    const { id, status } = await world.dashboard.post<{ id: string; status: string }>(path, {
      address: 'second@home.test',
    });
    const code = await world.codeSentTo('second@home.test');
    const wrong = code === '000000' ? '000001' : '000000';

    expect(status).toBe('awaiting_code');
    await expect(world.dashboard.post(`${path}/${id}/verify`, { code: wrong })).rejects.toThrow(/answered 4\d\d/);
    expect((await sender.send({ ...HELLO, to: ['second@home.test'] })).status).toBe(400);
    expect(await world.dashboard.post(`${path}/${id}/verify`, { code })).toMatchObject({ status: 'verified' });
    expect((await sender.send({ ...HELLO, to: ['second@home.test'] })).status).toBe(200);
  });

  it('stops receiving sandbox mail as soon as it is deleted', async () => {
    const { id } = await sender.verifyRecipient('leaver@home.test');
    expect((await sender.send({ ...HELLO, to: ['leaver@home.test'] })).status).toBe(200);
    await world.dashboard.delete(`${sender.path}/recipients/${id}`);
    expect((await sender.send({ ...HELLO, to: ['leaver@home.test'] })).status).toBe(400);
  });
});

describe('the daily cap of a sandbox service', () => {
  it('is 50 messages; refused requests consume nothing of it; more are 429 with Retry-After', async () => {
    const capped = await world.sender('Capped');
    await capped.verifyRecipient('friend@home.test');
    for (let n = 0; n < 5; n++) expect((await capped.send({ ...HELLO, to: ['x@home.test'] })).status).toBe(400);
    const statuses = [];
    for (let n = 0; n < 50; n++) statuses.push((await capped.send(HELLO)).status);
    const refused = await capped.send(HELLO);

    expect(statuses.filter(status => status === 200)).toHaveLength(50);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe('50');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  }, 60_000);
});

describe('verifying a sending domain', () => {
  it('shows each record with its expected and found value, and moves the service to production by itself', async () => {
    const mover = await world.sender('Mover');
    const added = await world.dashboard.post<Domain>(`${mover.path}/domains`, { domain: 'Mover.test' });
    expect(added).toMatchObject({ domain: 'mover.test', status: 'pending' });
    expect(added.records.map(({ purpose, type }) => `${purpose} ${type}`).sort()).toEqual([
      'dkim TXT',
      'dmarc TXT',
      'spf TXT',
    ]);

    const [first, ...rest] = added.records;
    for (const { name, value } of rest) world.postern.dns.setText(name, value);
    const partly = await world.dashboard.post<Domain>(`${mover.path}/domains/${added.id}/verify`, {});
    expect(partly.status).toBe('pending');
    expect(partly.records.filter(({ ok }) => ok)).toHaveLength(2);

    world.postern.dns.setText(first?.name ?? '', first?.value ?? '');
    expect((await world.dashboard.post<Domain>(`${mover.path}/domains/${added.id}/verify`, {})).status).toBe(
      'verified',
    );
    expect(await world.dashboard.get(mover.path)).toMatchObject({ mode: 'production', daily_limit: 1_000 });
    const sent = await mover.send({ ...HELLO, from: 'me@mover.test', to: ['anyone@anywhere.test'] });
    expect(sent.body).toMatchObject({ mode: 'production', from: 'me@mover.test' });
  });
});

describe('a production service that sends from a domain it does not have', () => {
  let production: Sender;

  beforeAll(async () => {
    production = await world.sender('Production', 'production.test');
  });

  it.each(['other.test', 'sub.production.test'])('sends through the sandbox sender and says why: %s', async domain => {
    const { status, body } = await production.send({ ...HELLO, from: `me@${domain}`, to: ['anyone@anywhere.test'] });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      mode: 'sandbox_fallback',
      from: expect.stringContaining('sandbox@'),
      message: expect.stringContaining(domain),
    });
    expect(body['id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly records: readonly {
    readonly purpose: string;
    readonly type: string;
    readonly name: string;
    readonly value: string;
    readonly ok: boolean;
  }[];
}
