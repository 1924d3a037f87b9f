import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startSmtpSink, type TestSmtp } from '@postern/testing';
import { type ApiAnswer, type Sender, World } from './world.js';

let relay: TestSmtp;
let world: World;
let sender: Sender;
let deferring: Sender;
/** Sent first and verified last, because its second attempt comes a minute later. */
let partlyDeferred: ApiAnswer;

beforeAll(async () => {
  relay = await startSmtpSink({ smtpUtf8: false });
  world = await World.start({
    environment: {
      'email-send': {
        POSTERN_RELAYS: `smtp://127.0.0.1:${relay.port}?tls=none`,
        POSTERN_RELAY_IS_FINAL: 'true',
        POSTERN_PRODUCTION_PER_MINUTE_LIMIT: String(PER_MINUTE),
        POSTERN_PRODUCTION_DAILY_START: String(PER_DAY),
      },
    },
  });
  deferring = await world.sender('Deferring', 'deferring.test');
  sender = await world.sender('Shop', 'shop.test');
  relay.answer({ stage: 'rcpt', address: 'busy@customers.test', code: 451, text: '4.3.0 try again later', times: 1 });
  relay.answer({ stage: 'rcpt', address: 'nobody@customers.test', code: 550, text: '5.1.1 no such user here' });
  relay.answer({ stage: 'rcpt', address: 'greylisted@customers.test', code: 451, text: '4.7.1 greylisted' });
  partlyDeferred = await deferring.send({
    ...MAIL,
    from: 'a@deferring.test',
    to: ['ada@customers.test', 'busy@customers.test'],
  });
}, 120_000);

afterAll(async () => {
  await world?.stop();
  await relay?.stop();
});

describe('the upstream relay', () => {
  it('accepts the message, and if its 250 is final, the message counts as delivered', async () => {
    const { status, body } = await sender.send(MAIL);

    expect([status, body['status']]).toEqual([200, 'sent']);
    expect((await sender.event('delivered', body['id'] as string)).data).toEqual({
      smtp_response: expect.stringMatching(/^250 /),
    });
  });

  it('permanently refuses all recipients: 200 with status failed and its reply', async () => {
    const { status, body } = await sender.send({ ...MAIL, to: ['nobody@customers.test'] });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', message: expect.stringMatching(/550.*5\.1\.1.*no such user here/) });
    expect((await sender.get(body['id'] as string)).body).toEqual(body);
    expect((await sender.event('bounced', body['id'] as string)).data).toEqual({
      bounce_type: 'hard',
      reason: expect.stringContaining('no such user here'),
    });
  });

  it('refuses one of several recipients: sent, and a bounced event for the refused one', async () => {
    const { body } = await sender.send({ ...MAIL, to: ['ada@customers.test'], cc: ['nobody@customers.test'] });

    expect(body).toMatchObject({ status: 'sent' });
    expect(await sender.event('bounced', body['id'] as string)).toMatchObject({
      to: 'nobody@customers.test',
      data: { bounce_type: 'hard', reason: expect.stringContaining('5.1.1') },
    });
    expect(await sender.event('delivered', body['id'] as string)).toMatchObject({ to: 'ada@customers.test' });
  });

  it('replies 4xx: 503 with Retry-After, nothing was handed over and a retry is safe', async () => {
    const { status, headers, body } = await sender.send({ ...MAIL, to: ['greylisted@customers.test'] });

    expect({ status, body }).toEqual({ status: 503, body: { error: expect.stringContaining('4.7.1 greylisted') } });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('does not offer SMTPUTF8: an address that needs it is a 400', async () => {
    const { status, body } = await sender.send({ ...MAIL, to: ['jürgen@customers.test'] });

    expect({ status, body }).toEqual({ status: 400, body: { error: expect.stringMatching(/^to\[0\].*ASCII/) } });
  });
});

describe('the daily quota', () => {
  it('a message that was refused or that no relay took consumes nothing of it; past it every message is a 429', async () => {
    const quota = await world.sender('Quota', 'quota.test');
    const mail = { ...MAIL, from: 'a@quota.test' };
    expect((await quota.send({ ...mail, to: [] })).status).toBe(400);
    expect((await quota.send({ ...mail, to: ['greylisted@customers.test'] })).status).toBe(503);

    const left: (string | null)[] = [];
    for (let n = 0; n < PER_DAY; n++) left.push((await quota.send(mail)).headers.get('ratelimit-remaining'));
    expect(left).toEqual(['4', '3', '2', '1', '0']);

    const { status, headers, body } = await quota.send(mail);
    expect({ status, body }).toEqual({ status: 429, body: { error: expect.stringMatching(/daily limit of 5/) } });
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([String(PER_DAY), '0']);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
  });
});

describe('the limit per minute', () => {
  it('is answered with 429, Retry-After until the end of the minute, and the state of the limit', async () => {
    const eager = await world.sender('Eager', 'eager.test');
    const mail = { ...MAIL, from: 'a@eager.test', to: ['delivered@simulator.test'] };
    const answers: ApiAnswer[] = [];
    // A new minute may begin during the loop, but not two.
    while (answers.length <= 2 * PER_MINUTE && answers.at(-1)?.status !== 429) answers.push(await eager.send(mail));
    const refused = answers.at(-1);

    expect(answers.length).toBeGreaterThan(PER_MINUTE);
    expect(refused?.body).toEqual({ error: expect.stringMatching(/20 messages a minute/) });
    expect(refused?.headers.get('ratelimit-limit')).toBe(String(PER_MINUTE));
    expect(refused?.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe('a copy with a temporary failure while another was accepted', () => {
  it('is sent, retried in the background and delivered; the timeline shows each try', async () => {
    const id = partlyDeferred.body['id'] as string;
    expect(partlyDeferred.body).toMatchObject({
      status: 'sent',
      message: expect.stringMatching(/1 of 2 recipients.*4\.3\.0 try again later/),
    });
    const tries = await eventually(
      async () => {
        const { timeline } = await world.dashboard.get<Tracked>(`${deferring.path}/emails/${id}`);
        const ofBusy = timeline.filter(({ recipient }) => recipient === 'busy@customers.test');
        expect(ofBusy.at(-1)?.kind).toBe('delivered');
        return ofBusy.map(({ kind }) => kind);
      },
      { timeoutMs: 120_000, intervalMs: 500 },
    );

    expect(tries).toEqual(['deferred', 'handed_over', 'delivered']);
    expect(relay.messages.filter(({ to }) => to[0]?.address === 'busy@customers.test')).toHaveLength(1);
  }, 130_000);
});

describe('when no relay is reachable', () => {
  it('the response is 503 with Retry-After, and messages are sent again as soon as a relay is back', async () => {
    const { port } = relay;
    await relay.stop();
    const { status, headers, body } = await sender.send(MAIL);

    expect({ status, body }).toEqual({ status: 503, body: { error: expect.any(String) } });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

    relay = await startSmtpSink({ port });
    await eventually(async () => expect((await sender.send(MAIL)).status).toBe(200), {
      timeoutMs: 20_000,
      intervalMs: 250,
    });
  }, 40_000);
});

const PER_MINUTE = 20;
const PER_DAY = 5;
const MAIL = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  text: 'You paid 42 €.',
};

interface Tracked {
  readonly timeline: readonly { readonly kind: string; readonly recipient: string | null }[];
}
