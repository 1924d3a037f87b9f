import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSmtpSink, type TestSmtp } from '@postern/testing';
import { type Sender, World } from './world.js';

let relay: TestSmtp;
let world: World;
let sender: Sender;

beforeAll(async () => {
  relay = await startSmtpSink();
  world = await World.start({
    environment: { 'email-send': { POSTERN_RELAYS: `smtp://127.0.0.1:${relay.port}?tls=none` } },
  });
  sender = await world.sender('Shop', 'shop.test');
}, 120_000);

afterAll(async () => {
  await world?.stop();
  await relay?.stop();
});

describe('Idempotency-Key', () => {
  it('same key and same body: the first response is replayed, and nothing is sent twice', async () => {
    const email = { ...RECEIPT, to: ['once@customers.test'] };
    const first = await sender.send(email, { 'idempotency-key': 'order-1' });
    const second = await sender.send(email, { 'idempotency-key': 'order-1' });

    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(copiesTo('once@customers.test')).toBe(1);
  });

  it('same key and another body: 409', async () => {
    await sender.send(RECEIPT, { 'idempotency-key': 'order-2' });
    const { status, body } = await sender.send({ ...RECEIPT, subject: 'Other' }, { 'idempotency-key': 'order-2' });

    expect({ status, body }).toEqual({ status: 409, body: { error: expect.any(String) } });
  });

  it('request still in progress: 409 with Retry-After: 1', async () => {
    relay.answer({ stage: 'data', address: 'patient@customers.test', delayMs: 2_000, times: 1 });
    const email = { ...RECEIPT, to: ['patient@customers.test'] };
    const both = await Promise.all([1, 2].map(() => sender.send(email, { 'idempotency-key': 'order-3' })));
    const [taken, refused] = both.toSorted((a, b) => a.status - b.status);

    expect(taken?.status).toBe(200);
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([409, '1']);
    expect((await sender.send(email, { 'idempotency-key': 'order-3' })).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    expect(copiesTo('patient@customers.test')).toBe(1);
  });

  it('many concurrent requests: one is sent', async () => {
    const email = { ...RECEIPT, to: ['crowd@customers.test'] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sender.send(email, { 'idempotency-key': 'order-4' })),
    );

    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(copiesTo('crowd@customers.test')).toBe(1);
  });

  it('the key of a refused or failed request can be used again', async () => {
    const refused = await sender.send({ ...RECEIPT, to: [] }, { 'idempotency-key': 'order-5' });
    expect(refused.status).toBe(400);

    relay.answer({ stage: 'rcpt', address: 'later@customers.test', code: 451, text: '4.3.0 later', times: 1 });
    const email = { ...RECEIPT, to: ['later@customers.test'] };
    expect((await sender.send(email, { 'idempotency-key': 'order-5' })).status).toBe(503);
    const again = await sender.send(email, { 'idempotency-key': 'order-5' });

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(copiesTo('later@customers.test')).toBe(1);
  });

  it('the key is scoped to its service: the same key of another service is a new request', async () => {
    const other = await world.sender('Other', 'other.test');
    await sender.send(RECEIPT, { 'idempotency-key': 'order-6' });
    const answer = await other.send({ ...RECEIPT, from: 'a@other.test' }, { 'idempotency-key': 'order-6' });

    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('without a key, the same request twice is two messages', async () => {
    const email = { ...RECEIPT, to: ['twice@customers.test'] };
    const [first, second] = [await sender.send(email), await sender.send(email)];

    expect(first.body['id']).not.toBe(second.body['id']);
    expect(copiesTo('twice@customers.test')).toBe(2);
  });
});

const RECEIPT = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  text: 'You paid 42 €.',
};

const copiesTo = (address: string) =>
  relay.messages.filter(({ to }) => to.some(recipient => recipient.address === address)).length;
