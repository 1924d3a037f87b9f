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

describe('POST /emails/batch', () => {
  it('sends what can be sent, and a repetition sends nothing twice', async () => {
    relay.answer({ stage: 'rcpt', address: 'busy@customers.test', code: 451, text: '4.3.0 busy', times: 1 });
    const batch = ['one', 'busy', 'nobody@', 'three'].map(name => ({
      from: 'Shop <orders@shop.test>',
      to: [name.includes('@') ? name : `${name}@customers.test`],
      subject: 'News',
      text: 'Hello',
    }));
    const first = await post(batch);
    expect(first.body.map(({ status }) => status)).toEqual([200, 503, 400, 200]);
    expect(first.body[2]).toMatchObject({ error: expect.stringMatching(/^to\[0\]/), error_code: 'invalid_email' });

    const second = await post(batch);
    expect(second.body.map(({ status }) => status)).toEqual([200, 200, 400, 200]);
    for (const place of [0, 3]) expect(second.body[place]).toEqual(first.body[place]);
    for (const name of ['one', 'busy', 'three'])
      expect(relay.messages.filter(({ to }) => to[0]?.address === `${name}@customers.test`)).toHaveLength(1);

    // Another message in the place of one that was sent.
    const changed = await post([{ ...batch[0], subject: 'Other' }]);
    expect(changed.body).toMatchObject([{ status: 409, error_code: 'idempotency_key_reused' }]);
  });
});

interface Entry {
  readonly status: number;
  readonly email?: object;
  readonly error?: string;
  readonly error_code?: string;
}

const post = async (body: unknown): Promise<{ body: readonly Entry[] }> => {
  const headers = { 'api-key': sender.apiKey, 'idempotency-key': 'news' };
  const answer = await world.call('POST', '/emails/batch', { headers, body });
  expect(answer.status).toBe(200);
  return { body: answer.body as unknown as readonly Entry[] };
};
