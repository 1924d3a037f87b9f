/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, PostfixServer, startSmtpSink, type TestSmtp } from '@postern/testing';
import { verifiedSignatures } from './dkim.js';
import { type Sender, World } from './world.js';

const BOUNCE_DOMAIN = 'bounces.postern.test';

let mailboxes: TestSmtp;
let postfix: PostfixServer;
let world: World;
let sender: Sender;

beforeAll(async () => {
  const port = await freePort();
  mailboxes = await startSmtpSink({ dsn: false });
  world = await World.start({
    environment: { 'email-send': { POSTERN_RELAYS: `smtp://127.0.0.1:${port}?tls=none` } },
  });
  postfix = await PostfixServer.start({
    port,
    nextHopPort: mailboxes.port,
    retryEverySeconds: 2,
    settings: {
      // Routes notifications back to Postern.
      transport_maps: `inline:{ ${BOUNCE_DOMAIN}=smtp:[127.0.0.1]:${world.postern.wiring.bouncePort} }`,
      smtp_destination_recipient_limit: 1,
      smtpd_discard_ehlo_keywords: 'chunking',
    },
  });
  sender = await world.sender('Shop', 'shop.test');
}, 120_000);

afterAll(async () => {
  await world?.stop();
  await postfix?.stop();
  await mailboxes?.stop();
});

const MAIL = { from: 'Shop <orders@shop.test>', subject: 'Your receipt', message: '<p>You paid <b>42 €</b>.</p>' };

describe('through a real Postfix', () => {
  it('a message is delivered when the receiving server accepts it, with that server’s reply', async () => {
    const { status, body } = await sender.send({ ...MAIL, to: ['ada@customers.test'] });
    const { to, data } = await sender.event('delivered', body['id'] as string, 30_000);

    expect({ status, state: body['status'] }).toEqual({ status: 200, state: 'sent' });
    expect(to).toBe('ada@customers.test');
    expect(data['smtp_response']).toMatch(/250/);
  });

  it('its signature is still valid at the receiver', async () => {
    await sender.send({ ...MAIL, to: ['signed@customers.test'], subject: 'Ünïcode ✓', headers: { 'X-Order': '42' } });
    const { raw } = await mailboxes.nextMessage(({ to }) =>
      to.some(({ address }) => address === 'signed@customers.test'),
    );

    expect(await verifiedSignatures(raw, world.postern.dns.address)).toEqual([{ result: 'pass', domain: 'shop.test' }]);
  });

  it('a message bounces when the receiving server rejects it, with the reason', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'nobody@customers.test', code: 550, text: '5.1.1 no such user here' });
    const { body } = await sender.send({ ...MAIL, to: ['nobody@customers.test'] });
    const { to, data } = await sender.event('bounced', body['id'] as string, 30_000);

    expect(to).toBe('nobody@customers.test');
    expect(data).toEqual({ bounce_type: 'hard', reason: expect.stringMatching(/550.*5\.1\.1.*no such user here/) });
  });

  it('a full mailbox is a soft bounce', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'full@customers.test', code: 552, text: '5.2.2 mailbox full' });
    const { body } = await sender.send({ ...MAIL, to: ['full@customers.test'] });

    expect((await sender.event('bounced', body['id'] as string, 30_000)).data).toEqual({
      bounce_type: 'soft',
      reason: expect.stringMatching(/5\.2\.2.*mailbox full/),
    });
  });

  it('a message that is rejected after its data also bounces', async () => {
    mailboxes.answer({ stage: 'data', address: 'choosy@customers.test', code: 554, text: '5.7.1 looks like spam' });
    const { body } = await sender.send({ ...MAIL, to: ['choosy@customers.test'] });

    expect((await sender.event('bounced', body['id'] as string, 30_000)).data).toEqual({
      bounce_type: 'soft',
      reason: expect.stringMatching(/5\.7\.1.*looks like spam/),
    });
  });

  it('recipients of one message have different outcomes, each reported by name', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'gone@customers.test', code: 550, text: '5.1.1 gone' });
    const { body } = await sender.send({
      ...MAIL,
      to: ['there@customers.test'],
      cc: ['gone@customers.test'],
      bcc: ['hidden@customers.test'],
    });
    const id = body['id'] as string;
    const bounced = await sender.event('bounced', id, 30_000);
    const delivered = [await sender.event('delivered', id, 30_000), await sender.event('delivered', id, 30_000)];

    expect(bounced.to).toBe('gone@customers.test');
    expect(delivered.map(({ to }) => to).sort()).toEqual(['hidden@customers.test', 'there@customers.test']);
  });

  it.each(['jürgen@customers.test', '用户@customers.test', 'ада+x=y@customers.test'])(
    '%s, a local part in another script, is accepted if the relay supports SMTPUTF8',
    async address => {
      const { status, body } = await sender.send({ ...MAIL, to: [address] });
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'sent', to: [address] } });

      const { to, data } = await sender.event('delivered', body['id'] as string, 30_000);
      expect(to).toBe(address);
      expect(data['smtp_response']).toMatch(/250/);
    },
  );

  it('a message that is deferred at first is delivered later, and nothing bounces', async () => {
    mailboxes.answer({ stage: 'rcpt', address: 'busy@customers.test', code: 451, text: '4.3.0 try again', times: 1 });
    const { body } = await sender.send({ ...MAIL, to: ['busy@customers.test'] });
    await sender.event('delivered', body['id'] as string, 60_000);

    const events = sender.receiver.requests.map(request => JSON.parse(request.body.toString('utf8')));
    expect(events.filter(({ email_id }) => email_id === body['id']).map(({ event }) => event)).toEqual(['delivered']);
  }, 90_000);
});
