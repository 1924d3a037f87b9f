/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EximServer, eventually, freePort, startSmtpSink, type TestSmtp } from '@postern/testing';
import { verifiedSignatures } from './dkim.js';
import { type Sender, World } from './world.js';

let mailboxes: TestSmtp;
let exim: EximServer;
let world: World;
let sender: Sender;

beforeAll(async () => {
  const port = await freePort();
  mailboxes = await startSmtpSink({ dsn: false });
  world = await World.start({
    environment: { 'email-send': { POSTERN_RELAYS: `smtp://127.0.0.1:${port}?tls=none` } },
  });
  exim = await EximServer.start({
    port,
    nextHopPort: mailboxes.port,
    routes: { 'bounces.postern.test': world.postern.wiring.bouncePort },
    forwards: { 'forwarded@customers.test': 'moved@elsewhere.test' },
    retryEverySeconds: 2,
    warnAfterSeconds: 1,
  });
  sender = await world.sender('Shop', 'shop.test');
}, 180_000);

afterAll(async () => {
  await world?.stop();
  await exim?.stop();
  await mailboxes?.stop();
}, 120_000);

describe('through a real Exim', () => {
  it('a message is delivered when the receiving server accepts it, with its signature intact', async () => {
    const { status, body } = await sender.send({ ...MAIL, to: ['ada@customers.test'], subject: 'Ünïcode ✓' });
    expect(status).toBe(200);
    const { to } = await sender.event('delivered', body['id'] as string, 30_000);
    const { raw } = await mailboxes.nextMessage(message => goesTo(message, 'ada@customers.test'));

    expect(to).toBe('ada@customers.test');
    expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([{ result: 'pass', domain: 'shop.test' }]);
  });

  it.each<['rcpt' | 'data', string, number, string, 'hard' | 'soft']>([
    ['rcpt', 'nobody@customers.test', 550, '5.1.1 no such user here', 'hard'],
    ['rcpt', 'unknown@customers.test', 550, 'User unknown', 'hard'],
    ['rcpt', 'full@customers.test', 552, '5.2.2 mailbox full', 'soft'],
    ['rcpt', 'listed@customers.test', 550, '5.1.1 relay.exim.test is listed at zen.spamhaus.org', 'soft'],
    ['data', 'choosy@customers.test', 554, '5.7.1 looks like spam', 'soft'],
    ['data', 'late@customers.test', 550, 'no such user', 'soft'],
  ])('a refusal of %s for %s with %i %s is a %s bounce', async (stage, address, code, text, type) => {
    mailboxes.answer({ stage, address, code, text });
    const { body } = await sender.send({ ...MAIL, to: [address] });
    const { to, data } = await sender.event('bounced', body['id'] as string, 30_000);

    expect(to).toBe(address);
    expect(data).toEqual({ bounce_type: type, reason: expect.stringContaining(text) });
  });

  it('a refusal of the sender is a soft bounce of the recipient', async () => {
    mailboxes.answer({
      stage: 'mail',
      address: /^b\+/,
      times: 1,
      code: 553,
      text: 'bounces.postern.test does not exist',
    });
    const { body } = await sender.send({ ...MAIL, to: ['fine@customers.test'] });
    const { data } = await sender.event('bounced', body['id'] as string, 30_000);

    expect(data).toEqual({ bounce_type: 'soft', reason: expect.stringContaining('does not exist') });
  });

  it('a failure of a forwarded recipient is a soft bounce of the recipient, which names the other address', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'moved@elsewhere.test', code: 550, text: '5.1.1 gone' });
    const { body } = await sender.send({ ...MAIL, to: ['forwarded@customers.test'] });
    const { to, data } = await sender.event('bounced', body['id'] as string, 30_000);

    expect({ to, type: data['bounce_type'] }).toEqual({ to: 'forwarded@customers.test', type: 'soft' });
    expect(data['reason']).toMatch(/^moved@elsewhere\.test: .*5\.1\.1 gone/);
  });

  it('a delayed message is delivered after a warning, and nothing bounces', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'busy@customers.test', code: 451, text: '4.3.0 try again', times: 3 });
    const { body } = await sender.send({ ...MAIL, to: ['busy@customers.test'] });
    const id = body['id'] as string;
    await eventually(async () => expect(await timelineOf(id)).toContain('delayed'), { timeoutMs: 30_000 });
    await sender.event('delivered', id, 60_000);

    const events = sender.receiver.requests.map(request => JSON.parse(request.body.toString('utf8')));
    expect(events.filter(({ email_id }) => email_id === id).map(({ event }) => event)).toEqual(['delivered']);
  }, 120_000);
});

const MAIL = { from: 'Shop <orders@shop.test>', subject: 'Your receipt', message: '<p>You paid <b>42 €</b>.</p>' };

const goesTo = ({ to }: { to: readonly { address: string }[] }, wanted: string): boolean =>
  to.some(({ address }) => address === wanted);

const timelineOf = async (id: string): Promise<string[]> => {
  const { timeline } = await world.dashboard.get<{ timeline: { kind: string }[] }>(`${sender.path}/emails/${id}`);
  return timeline.map(({ kind }) => kind);
};
