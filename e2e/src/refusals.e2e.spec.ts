import { request as httpRequest } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { sharedWorld } from './stories.js';
import type { ApiAnswer } from './world.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

describe('an invalid request is answered with 400 and the field’s name', () => {
  const INVALID: readonly (readonly [what: string, change: Record<string, unknown>, names: RegExp])[] = [
    ['no recipients', { to: [] }, /^to\b.*recipient/],
    ['no to at all', { to: undefined }, /^to\b/],
    ['neither message nor text', { message: undefined }, /message.*text/],
    ['a malformed address', { to: ['ada@customers.test', 'not an address'] }, /^to\[1\]/],
    ['two addresses in one', { to: ['a@customers.test, b@customers.test'] }, /^to\[0\]/],
    ['a malformed copy address', { cc: ['@nobody'] }, /^cc\[0\]/],
    ['a malformed blind copy address', { bcc: ['nobody@'] }, /^bcc\[0\]/],
    ['a malformed reply address', { reply_to: ['x y@z'] }, /^reply_to\[0\]/],
    ['a malformed from', { from: 'Shop orders@shop.test>' }, /^from\b/],
    ['no from', { from: undefined }, /^from\b/],
    ['no subject', { subject: undefined }, /^subject\b/],
    ['a subject of 999 characters', { subject: 'x'.repeat(999) }, /^subject\b.*998/],
    ['a line break in the subject', { subject: 'Hello\r\nBcc: eve@evil.test' }, /^subject\b.*line break/],
    ['an unknown field', { colour: 'red' }, /colour/],
    ['the wrong type', { to: 'ada@customers.test' }, /^to\b.*array of strings/],
    ['the wrong type inside', { to: [1] }, /^to\[0\].*string/],
    ['a reserved header', { headers: { 'DKIM-Signature': 'v=1' } }, /DKIM-Signature/],
    ['a From header', { headers: { From: 'eve@evil.test' } }, /headers\.From/],
    ['a header that is not X-…', { headers: { 'List-Unsubscribe': '<https://x.test>' } }, /List-Unsubscribe/],
    ['a header name with a space', { headers: { 'X-A b': '1' } }, /X-A b/],
    ['a line break in a header', { headers: { 'X-Order': '1\r\nBcc: eve@evil.test' } }, /X-Order.*line break/],
    ['a header that is no string', { headers: { 'X-Order': 1 } }, /headers.*X-Order/],
    ['a NUL character', { text: 'a\0b' }, /^text\b/],
    ['more than 50 headers', { headers: manyHeaders(51) }, /headers.*50/],
  ];

  it.each(INVALID)('%s', async (_, change, names) => {
    const { status, body } = await sender.send({ ...RECEIPT, ...change });

    expect({ status, body }).toEqual({ status: 400, body: { error: expect.stringMatching(names) } });
  });

  it('more than 50 recipients across to, cc and bcc', async () => {
    const [to, cc, bcc] = [many(17, 'to'), many(17, 'cc'), many(17, 'bcc')];
    const { status, body } = await sender.send({ ...RECEIPT, to, cc, bcc });

    expect({ status, body }).toEqual({ status: 400, body: { error: expect.stringMatching(/50 recipients/) } });
  });

  it('a body that is not JSON', async () => {
    expect(await refusalOf(sender.send('{"from":'))).toEqual([400, { error: expect.stringMatching(/JSON/) }]);
  });

  it('an Idempotency-Key of 256 characters', async () => {
    const answer = sender.send(RECEIPT, { 'idempotency-key': 'k'.repeat(256) });

    expect(await refusalOf(answer)).toEqual([400, { error: expect.stringMatching(/Idempotency-Key.*255/) }]);
  });

  it('a body that is not an object', async () => {
    expect(await refusalOf(sender.send([]))).toEqual([400, { error: expect.stringMatching(/object/) }]);
  });
});

describe('input at the limit is accepted', () => {
  it('a body just under 10 MiB', async () => {
    expect((await sender.send({ ...RECEIPT, text: 'x'.repeat(10 * 1024 * 1024 - 1_000) })).status).toBe(200);
  }, 60_000);

  it('50 recipients, a subject of 998 characters and 50 extra headers', async () => {
    const { status, body } = await sender.send({
      ...RECEIPT,
      to: many(20, 'to'),
      cc: many(20, 'cc'),
      bcc: many(10, 'bcc'),
      subject: 's'.repeat(998),
      headers: manyHeaders(50),
    });

    expect({ status, message: body }).toMatchObject({ status: 200, message: { status: 'sent' } });
  });
});

describe('a request without a valid key', () => {
  it.each([
    ['no Api-Key', {}],
    ['an invalid Api-Key', { 'api-key': `em_live_${'A'.repeat(43)}` }],
    ['a misshapen Api-Key', { 'api-key': 'secret' }],
    ['an empty Api-Key', { 'api-key': '' }],
  ])('%s: 401', async (_, headers) => {
    const expected = [401, { error: expect.any(String) }];

    expect(await refusalOf(world.call('POST', '/emails', { headers, body: RECEIPT }))).toEqual(expected);
    expect(await refusalOf(world.call('GET', `/emails/${UNKNOWN_ID}`, { headers }))).toEqual(expected);
  });

  it('gets no details about its body', async () => {
    expect((await world.call('POST', '/emails', { body: '{"from":' })).status).toBe(401);
    expect((await world.call('GET', '/emails/not-a-uuid')).status).toBe(401);
  });

  it('a valid key whose email service is disabled: 403, until it is enabled again', async () => {
    const paused = await world.sender('Paused', 'paused.test');
    const email = { ...RECEIPT, from: 'orders@paused.test' };
    const { body } = await paused.send(email);
    await world.dashboard.patch(paused.path, { enabled: false });

    expect(await refusalOf(paused.send(email))).toEqual([403, { error: expect.stringMatching(/disabled/) }]);
    expect(await refusalOf(paused.get(body['id'] as string))).toEqual([403, { error: expect.any(String) }]);

    await world.dashboard.patch(paused.path, { enabled: true });
    expect((await paused.send(email)).status).toBe(200);
  });

  it('a revoked key is refused at once: 401', async () => {
    const { id, key } = await world.dashboard.post<{ id: string; key: string }>(`${sender.path}/api-keys`, {
      name: 'short-lived',
    });
    const send = () => world.call('POST', '/emails', { headers: { 'api-key': key }, body: RECEIPT });
    expect((await send()).status).toBe(200);

    await world.callDashboardApi('DELETE', `${sender.path}/api-keys/${id}`);

    expect((await send()).status).toBe(401);
  });
});

describe('GET /emails/{id}', () => {
  it('an unknown id: 404', async () => {
    expect(await refusalOf(sender.get(UNKNOWN_ID))).toEqual([404, { error: expect.any(String) }]);
  });

  it('the id of another service’s message: 404', async () => {
    const other = await world.sender('Other');
    const { body } = await sender.send(RECEIPT);

    expect(await refusalOf(other.get(body['id'] as string))).toEqual([404, { error: expect.any(String) }]);
  });

  it('an id that is not a UUID: 400', async () => {
    expect(await refusalOf(sender.get('42'))).toEqual([400, { error: expect.stringMatching(/\bid\b.*UUID/) }]);
  });
});

describe('HTTP errors', () => {
  it('an unknown route: 404', async () => {
    expect(await refusalOf(world.call('GET', '/emailz'))).toEqual([404, { error: expect.any(String) }]);
  });

  it('an unknown route under /api/v1: 404 in the format of the platform API', async () => {
    expect(await refusalOf(world.call('GET', '/api/v1/nothing'))).toEqual([404, { detail: expect.any(String) }]);
  });

  it('a wrong method: 405 with Allow', async () => {
    const answer = await world.call('DELETE', '/emails', { headers: { 'api-key': sender.apiKey } });

    expect(await refusalOf(Promise.resolve(answer))).toEqual([405, { error: expect.any(String) }]);
    expect(answer.headers.get('allow')).toMatch(/\bPOST\b/);
  });

  it('a body over 36 MiB: 413', async () => {
    expect(await declaring(world.postern.baseUrl, sender.apiKey, 36 * 1024 * 1024 + 1)).toEqual([
      413,
      { error: expect.stringMatching(/36 MiB/) },
    ]);
  });

  it('a client that sends its whole body over 10 MiB also gets the 413', async () => {
    expect((await sender.send({ ...RECEIPT, text: 'x'.repeat(10 * 1024 * 1024) })).status).toBe(413);
  });

  it('another content type: 415', async () => {
    const answer = sender.send('from=orders@shop.test', { 'content-type': 'application/x-www-form-urlencoded' });

    expect(await refusalOf(answer)).toEqual([415, { error: expect.any(String) }]);
  });
});

describe('rate limits', () => {
  it('the response has the remaining number of the limit that is closest to exhaustion', async () => {
    const fresh = await world.sender('Fresh', 'fresh.test');
    const { headers } = await fresh.send({ ...RECEIPT, from: 'orders@fresh.test' });

    expect(headers.get('ratelimit-limit')).toBe('600');
    expect(headers.get('ratelimit-remaining')).toBe('599');
    expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  });
});

const RECEIPT = {
  from: 'Shop <orders@shop.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  message: '<p>You paid <b>42 €</b>.</p>',
};
const UNKNOWN_ID = '0198f3a0-0000-7000-8000-000000000000';

function many(count: number, role: string): string[] {
  return Array.from({ length: count }, (_, n) => `${role}-${n}@customers.test`);
}

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Header-${n}`, String(n)]));
}

const refusalOf = async (answer: Promise<ApiAnswer>) => {
  const { status, body } = await answer;
  return [status, body];
};

/** Sends only the headers with a content length, and waits for the response; fetch would send the body. */
const declaring = (baseUrl: string, apiKey: string, bytes: number): Promise<[number | undefined, unknown]> =>
  new Promise((resolve, reject) => {
    const headers = { 'api-key': apiKey, 'content-type': 'application/json', 'content-length': bytes };
    const request = httpRequest(`${baseUrl}/emails`, { method: 'POST', headers }, async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      request.destroy();
      resolve([response.statusCode, JSON.parse(Buffer.concat(chunks).toString('utf8'))]);
    });
    request.on('error', reject);
    request.flushHeaders();
  });
