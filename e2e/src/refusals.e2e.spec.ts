import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sender, World } from './world.js';

let world: World;
let sender: Sender;

beforeAll(async () => {
  world = await World.start();
  sender = await world.sender('Shop', 'shop.test');
}, 120_000);

afterAll(() => world.stop());

const GOOD = { from: 'orders@shop.test', to: ['ada@customers.test'], subject: 'Your receipt', text: 'Thanks.' };

describe('400', () => {
  const { subject: _, ...withoutSubject } = GOOD;
  const { text: __, ...withoutBody } = GOOD;

  it.each<[string, unknown, RegExp]>([
    ['no recipients', { ...GOOD, to: [] }, /^to: .*recipient/],
    ['neither message nor text', withoutBody, /message or text/],
    ['a malformed address', { ...GOOD, to: ['ada@customers.test', 'nobody'] }, /to\[1\].*malformed address "nobody"/],
    ['a malformed sender', { ...GOOD, from: 'Shop <orders>' }, /^from: .*malformed/],
    ['two addresses in one', { ...GOOD, to: ['a@customers.test, b@customers.test'] }, /to\[0\]/],
    ['more than 50 recipients', { ...GOOD, to: many(30), cc: many(21) }, /50/],
    ['no subject', withoutSubject, /subject/],
    ['a subject with a line break', { ...GOOD, subject: 'a\r\nBcc: eve@evil.test' }, /^subject/],
    ['a subject of 999 characters', { ...GOOD, subject: 'x'.repeat(999) }, /^subject.*998/],
    ['a reserved header', { ...GOOD, headers: { 'DKIM-Signature': 'v=1' } }, /headers\.DKIM-Signature/],
    ['a header that is not X-…', { ...GOOD, headers: { Precedence: 'bulk' } }, /headers\.Precedence/],
    ['a header with a line break', { ...GOOD, headers: { 'X-Tag': 'a\nBcc: eve@evil.test' } }, /headers\.X-Tag/],
    ['51 headers', { ...GOOD, headers: headers(51) }, /headers.*50/],
    ['an unknown field', { ...GOOD, attachments: [] }, /attachments/],
    ['a wrong type', { ...GOOD, to: 'ada@customers.test' }, /to must be an array/],
    ['a wrong type inside a list', { ...GOOD, cc: ['a@customers.test', 7] }, /cc\[1\]/],
    ['a NUL character', { ...GOOD, text: 'a\0b' }, /text/],
    ['no JSON object', '[]', /object/],
    ['no JSON at all', '{"from":', /JSON/],
  ])('names what is wrong with %s', async (_name, body, reason) => {
    const answer = await sender.send(body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(reason) } });
    expect(Object.keys(answer.body)).toEqual(['error']);
  });

  it('answers an id that is no UUID', async () =>
    expect(await sender.get('not-a-uuid')).toMatchObject({ status: 400, body: { error: expect.any(String) } }));

  it('answers an idempotency key of 256 characters', async () =>
    expect((await sender.send(GOOD, { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400));
});

describe('401', () => {
  it.each(['', 'nonsense', `em_live_${'x'.repeat(43)}`])('answers the key %j', async key => {
    const answer = await world.call('POST', '/emails', { headers: { 'api-key': key }, body: GOOD });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
  });

  it('answers a missing key before anything about the body', async () =>
    expect((await world.call('POST', '/emails', { body: {} })).status).toBe(401));

  it('answers a key from the moment that it is revoked', async () => {
    const { id, key } = await world.dashboard.post<{ id: string; key: string }>(`${sender.path}/api-keys`, {
      name: 'x',
    });
    const send = () => world.call('POST', '/emails', { headers: { 'api-key': key }, body: GOOD });
    expect((await send()).status).toBe(200);
    await world.dashboard.delete(`${sender.path}/api-keys/${id}`);
    expect((await send()).status).toBe(401);
  });
});

describe('403', () => {
  it('answers a valid key whose email service is disabled', async () => {
    const closed = await world.sender('Closed', 'closed.test');
    await world.dashboard.patch(closed.path, { enabled: false });
    expect(await closed.send({ ...GOOD, from: 'a@closed.test' })).toMatchObject({
      status: 403,
      body: { error: expect.any(String) },
    });
  });
});

describe('404', () => {
  it('answers an unknown id', async () =>
    expect((await sender.get('01890000-0000-7000-8000-000000000000')).status).toBe(404));

  it("answers another service's id", async () => {
    const { body } = await sender.send(GOOD);
    const other = await world.sender('Other');
    expect((await other.get(body['id'] as string)).status).toBe(404);
  });

  it('answers an unknown route', async () =>
    expect(await world.call('GET', '/email')).toMatchObject({ status: 404, body: { error: expect.any(String) } }));

  it('has the platform shape under /api/v1', async () =>
    expect((await world.call('GET', '/api/v1/nothing')).body).toEqual({ detail: expect.any(String) }));
});

describe('other refusals', () => {
  it('a wrong method is 405 and names those that are allowed', async () => {
    const answer = await world.call('DELETE', '/emails');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('POST');
  });

  it('another content type is 415', async () =>
    expect((await sender.send('from=a', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415));

  it('a body over 10 MiB is 413', async () =>
    expect((await sender.send({ ...GOOD, text: 'x'.repeat(10 * 1024 * 1024) })).status).toBe(413));

  it(
    'a body just under 10 MiB is sent',
    async () => expect((await sender.send({ ...GOOD, text: 'x'.repeat(10 * 1024 * 1024 - 1_000) })).status).toBe(200),
    60_000,
  );
});

describe('Idempotency-Key', () => {
  it('answers the same request with its first answer, and sends nothing twice', async () => {
    const to = ['once@customers.test'];
    const first = await sender.send({ ...GOOD, to }, { 'idempotency-key': 'order-1' });
    const second = await sender.send({ ...GOOD, to }, { 'idempotency-key': 'order-1' });

    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await world.mailsTo('once@customers.test')).toHaveLength(1);
  });

  it('refuses another body under the same key with 409', async () => {
    await sender.send(GOOD, { 'idempotency-key': 'order-2' });
    expect((await sender.send({ ...GOOD, subject: 'Other' }, { 'idempotency-key': 'order-2' })).status).toBe(409);
  });
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `r${n}-${count}@customers.test`);
}

function headers(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Tag-${n}`, 'v']));
}
