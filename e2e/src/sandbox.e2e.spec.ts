import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import PostalMime from 'postal-mime';
import { verifiedSignatures } from './dkim.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Trial');
await sender.verifyRecipient('ada@customers.test');

describe('every new service is in sandbox mode', () => {
  it('reports the mode, with the default limits of 50 messages a day and 60 a minute', async () => {
    const { body } = await world.callDashboardApi('GET', sender.path);

    expect(body).toMatchObject({
      mode: 'sandbox',
      enabled: true,
      daily_limit: 50,
      per_minute_limit: 60,
      open_tracking: true,
    });
  });

  it('the mode of its messages is sandbox, and the effective From is the shared sandbox sender', async () => {
    const { status, body } = await sender.send(WELCOME);

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'sent', mode: 'sandbox', from: SANDBOX_SENDER, to: ['ada@customers.test'] });
    expect((await sender.get(body['id'] as string)).body).toEqual(body);
  });

  it('the sent message has the original from as Reply-To, then any reply_to', async () => {
    const subject = 'Replies welcome';
    await sender.send({ ...WELCOME, subject, reply_to: ['Help <help@shop.test>'] });
    const { raw } = await world.mailTo('ada@customers.test', has(subject));
    const mail = await PostalMime.parse(raw);

    expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([
      { result: 'pass', domain: 'sandbox.postern.test' },
    ]);
    expect(mail.from).toMatchObject({ name: 'Postern Sandbox', address: 'sandbox@sandbox.postern.test' });
    expect(mail.replyTo).toMatchObject([
      { name: 'Shop', address: 'orders@shop.test' },
      { name: 'Help', address: 'help@shop.test' },
    ]);
  });

  it('its traffic produces the same events', async () => {
    const { body } = await sender.send(WELCOME);

    expect(await sender.event('delivered', body['id'] as string)).toMatchObject({
      to: 'ada@customers.test',
      from: SANDBOX_SENDER,
      subject: WELCOME.subject,
    });
  });
});

describe('only verified recipients of the service receive', () => {
  it.each([
    ['to', { to: ['eve@strangers.test'] }],
    ['to beside a verified one', { to: ['ada@customers.test', 'eve@strangers.test'] }],
    ['cc', { cc: ['eve@strangers.test'] }],
    ['bcc', { bcc: ['Eve <eve@strangers.test>'] }],
  ])('an unverified address in %s fails the request with 400 and is named', async (_, change) => {
    const { status, body } = await sender.send({ ...WELCOME, ...change });

    expect({ status, body }).toEqual({
      status: 400,
      body: { error: expect.stringMatching(/eve@strangers\.test is not a verified sandbox recipient/) },
    });
    expect(await world.mailsTo('eve@strangers.test')).toEqual([]);
  });

  it('the match is case-insensitive', async () => {
    expect((await sender.send({ ...WELCOME, to: ['Ada <ADA@Customers.Test>'] })).status).toBe(200);
  });

  it('a recipient verified for one service is not verified for another', async () => {
    const other = await world.sender('Other trial');

    expect((await other.send(WELCOME)).status).toBe(400);
  });

  it('addresses of the mail simulator need no verification', async () => {
    const { status, body } = await sender.send({ ...WELCOME, to: ['hard-bounce@simulator.test'] });

    expect(status).toBe(200);
    expect((await sender.event('bounced', body['id'] as string)).data).toMatchObject({ bounce_type: 'hard' });
  });
});

describe('an address is verified by the 6-digit code sent to it', () => {
  it('waits for its code for 24 hours, then is verified by the right code', async () => {
    const added = await world.callDashboardApi('POST', `${sender.path}/recipients`, { address: 'Bea@customers.test' });
    expect(added.body).toMatchObject({ address: 'bea@customers.test', status: 'awaiting_code' });
    const lifetimeMs = Date.parse(added.body['code_expires_at'] as string) - Date.now();
    expect(lifetimeMs / 3_600_000).toBeCloseTo(24, 1);

    expect((await sender.send({ ...WELCOME, to: ['bea@customers.test'] })).status).toBe(400);

    const code = await world.codeSentTo('bea@customers.test');
    const entered = await enter(added.body['id'], code);
    expect({ status: entered.status, body: entered.body }).toMatchObject({ status: 200, body: { status: 'verified' } });
    expect((await sender.send({ ...WELCOME, to: ['bea@customers.test'] })).status).toBe(200);
  });

  it('a wrong code is refused with 400, and after five wrong codes also the right one', async () => {
    const { body } = await world.callDashboardApi('POST', `${sender.path}/recipients`, {
      address: 'cleo@customers.test',
    });
    const wrong = (await world.codeSentTo('cleo@customers.test')) === '000000' ? '000001' : '000000';

    expect((await enter(body['id'], wrong)).status).toBe(400);
    for (let tries = 1; tries < 5; tries++) await enter(body['id'], wrong);
    expect((await enter(body['id'], await world.codeSentTo('cleo@customers.test'))).status).toBe(429);
    expect((await sender.send({ ...WELCOME, to: ['cleo@customers.test'] })).status).toBe(400);
  });

  it('after a new request only a newly sent code is accepted, and the attempts are counted from zero', async () => {
    const again = await world.callDashboardApi('POST', `${sender.path}/recipients`, { address: 'cleo@customers.test' });
    const code = await secondCodeTo('cleo@customers.test');

    expect((await enter(again.body['id'], code)).body).toMatchObject({ status: 'verified' });
  });

  it('a deleted address stops receiving sandbox mail immediately', async () => {
    const { id } = await sender.verifyRecipient('dora@customers.test');
    const email = { ...WELCOME, to: ['dora@customers.test'] };
    expect((await sender.send(email)).status).toBe(200);

    await world.callDashboardApi('DELETE', `${sender.path}/recipients/${id}`);

    expect((await sender.send(email)).status).toBe(400);
    expect((await world.callDashboardApi('GET', `${sender.path}/recipients`)).body).not.toContainEqual(
      expect.objectContaining({ address: 'dora@customers.test' }),
    );
  });

  it('the creator’s own login address is added in advance, without a code', async () => {
    const { body } = await world.callDashboardApi('POST', `${sender.path}/recipients/me`);

    expect(body).toMatchObject({ address: 'owner@example.com', status: 'verified' });
    expect((await sender.send({ ...WELCOME, to: ['owner@example.com'] })).status).toBe(200);
  });
});

describe('the daily cap of a sandbox service', () => {
  it('is 50 messages: refused requests do not count, the 51st message is answered with 429', async () => {
    const capped = await world.sender('Capped');
    await capped.verifyRecipient('finn@customers.test');
    const email = { ...WELCOME, to: ['finn@customers.test'] };
    for (let n = 0; n < 5; n++) await capped.send({ ...WELCOME, to: ['eve@strangers.test'] });

    const first = await capped.send(email);
    expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['50', '49']);
    const next = await Promise.all(Array.from({ length: 49 }, () => capped.send(email)));
    expect(next.map(({ status }) => status)).toEqual(Array(49).fill(200));

    const { status, headers, body } = await capped.send(email);
    expect({ status, body }).toEqual({ status: 429, body: { error: expect.stringMatching(/daily limit of 50/) } });
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['50', '0']);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect(Math.abs(Number(headers.get('retry-after')) - secondsUntilMidnight())).toBeLessThan(30);
    expect(await world.mailsTo('finn@customers.test')).toHaveLength(50 + THE_CODE);
    expect((await world.callDashboardApi('GET', capped.path)).body).toMatchObject({ sent_today: 50 });
  });
});

const SANDBOX_SENDER = 'Postern Sandbox <sandbox@sandbox.postern.test>';
const THE_CODE = 1;
const WELCOME = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Welcome',
  message: '<p>Welcome to the shop.</p>',
};

const has = (subject: string) => (mail: { readonly subject: string }) => mail.subject === subject;

const enter = (id: unknown, code: string) =>
  world.callDashboardApi('POST', `${sender.path}/recipients/${id}/verify`, { code });

const secondCodeTo = async (address: string): Promise<string> => {
  await waitFor(async () => (await world.mailsTo(address)).length === 2, { describe: `a second code to ${address}` });
  return world.codeSentTo(address);
};

const secondsUntilMidnight = () => 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
