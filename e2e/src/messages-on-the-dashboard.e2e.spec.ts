import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const shop = await world.sender('Shop with messages', 'messages.test');
const stranger = await otherUser();

const EMAIL = {
  from: 'Shop <orders@messages.test>',
  to: ['ada@customers.test'],
  subject: 'Your receipt',
  message: '<p>Paid. <a href="https://messages.test/r/1">See it</a></p>',
  headers: { 'X-Order': '42' },
  attachments: [{ filename: 'receipt.pdf', content: Buffer.from('%PDF').toString('base64') }],
};

interface Suppressions {
  readonly items: readonly { readonly address: string; readonly reason: string; readonly email_id: string | null }[];
  readonly total: number;
}

describe('the content of a message', () => {
  it('has its HTML, text, headers and source, without tracking', async () => {
    const { body } = await shop.send(EMAIL);
    const answer = await world.callDashboardApi('GET', `${shop.path}/emails/${body['id']}/content`);

    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['attachments', 'headers', 'html', 'raw', 'text']);
    expect(answer.body).toMatchObject({
      html: EMAIL.message,
      text: expect.stringContaining('Paid.'),
      attachments: [{ filename: 'receipt.pdf', content_type: 'application/pdf', size_bytes: 4, is_inline: false }],
      headers: { From: expect.stringContaining('orders@messages.test'), Subject: 'Your receipt', 'X-Order': '42' },
      raw: expect.stringMatching(
        /^[\s\S]*Subject: Your receipt\r\n[\s\S]*\r\n\r\n[\s\S]*https:\/\/messages\.test\/r\/1/,
      ),
    });
    expect(answer.body['raw']).not.toMatch(/\/o\/|\/c\//);
  });

  it('does not count as opened when it is read', async () => {
    const { body } = await shop.send(EMAIL);
    const id = String(body['id']);
    await shop.event('delivered', id);
    const { body: content } = await world.callDashboardApi('GET', `${shop.path}/emails/${id}/content`);
    const hosts = [...String(content['raw']).matchAll(/https?:\/\/([^/"'\s>]+)/g)].map(([, host]) => host);

    expect(hosts).not.toContain(new URL(world.postern.baseUrl).host);
  });

  it.each([
    [
      'an unknown message',
      () => `${shop.path}/emails/0198f3a0-0000-7000-8000-000000000000/content`,
      404,
      'email_not_found',
    ],
    ['an id that is no UUID', () => `${shop.path}/emails/1/content`, 400, 'invalid_input'],
  ])('of %s: refused', async (_, path, status, code) => {
    const answer = await world.callDashboardApi('GET', path());
    expect([answer.status, answer.headers.get('error-code')]).toEqual([status, code]);
  });

  it('is not found by a user of another workspace, nor under another service', async () => {
    const { body } = await shop.send(EMAIL);
    const other = await world.sender('Another service');

    for (const part of ['content', 'webhook-deliveries'])
      expect(
        (await world.callDashboardApi('GET', `${shop.path}/emails/${body['id']}/${part}`, undefined, stranger)).status,
      ).toBe(404);
    for (const part of ['content', 'webhook-deliveries'])
      expect((await world.callDashboardApi('GET', `${other.path}/emails/${body['id']}/${part}`)).status).toBe(404);
  });
});

describe('the webhook deliveries of a message', () => {
  it('are only those of its events, with their attempts', async () => {
    const { body } = await shop.send(EMAIL);
    await shop.send(EMAIL);
    await shop.event('delivered', String(body['id']));
    const path = `${shop.path}/emails/${body['id']}/webhook-deliveries`;

    await eventually(async () =>
      expect((await world.callDashboardApi('GET', path)).body).toMatchObject({
        items: [
          {
            webhook_id: shop.webhookId,
            state: 'accepted',
            payload: { event: 'delivered', email_id: body['id'] },
            attempts: [{ status: expect.any(Number) }],
          },
        ],
        total: 1,
      }),
    );
  });
});

describe('the suppression list', () => {
  const add = (path: string, body: object) => world.callDashboardApi('POST', `${path}/suppressions`, body);

  it('adds an address, which then gets no mail, and removes it', async () => {
    const careful = await world.sender('Careful', 'careful.test');
    await world.dashboard.patch(careful.path, { suppression: true });
    const email = { ...EMAIL, from: 'a@careful.test', to: ['Grace@customers.test'] };

    expect((await add(careful.path, { address: 'grace@customers.test' })).body).toEqual({
      added: ['grace@customers.test'],
      already_listed: [],
      refused: [],
    });
    await eventually(async () => {
      const { body } = await careful.send(email);
      expect(body).toMatchObject({ status: 'failed' });
    });

    await world.callDashboardApi('DELETE', `${careful.path}/suppressions/grace@customers.test`);
    await eventually(async () => expect((await careful.send(email)).body).toMatchObject({ status: 'sent' }));
  });

  it('imports, finds and exports addresses, which a spreadsheet does not evaluate as formulas', async () => {
    const listing = await world.sender('Listing addresses');
    const addresses = ['ada@x.test', 'bea@y.test', '=1+1@x.test', 'no address'];
    const added = await add(listing.path, { addresses });
    expect(added.body).toMatchObject({
      added: expect.arrayContaining(['=1+1@x.test']),
      refused: [{ address: 'no address' }],
    });

    const found = await world.dashboard.get<Suppressions>(`${listing.path}/suppressions?search=X.test&limit=1`);
    expect([found.items.length, found.total]).toEqual([1, 2]);

    const file = await world.callDashboardApi('GET', `${listing.path}/suppressions?format=csv`);
    expect(file.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="suppressions.csv"');
    expect(String(file.body['text']).split('\r\n')).toEqual([
      'address,reason,email_id,at',
      expect.stringMatching(/^'=1\+1@x\.test,added,,\d{4}/),
      expect.stringMatching(/^ada@x\.test,added,,/),
      expect.stringMatching(/^bea@y\.test,added,,/),
      '',
    ]);
  });

  it.each([
    ['a malformed address', { address: 'a@@b' }],
    ['nothing', {}],
    ['both forms', { address: 'a@b.c', addresses: ['d@e.f'] }],
    ['more than 1,000 addresses', { addresses: Array.from({ length: 1_001 }, (_, n) => `a${n}@x.test`) }],
  ])('refuses %s', async (_, body) =>
    expect((await add(shop.path, body)).headers.get('error-code')).toBe('invalid_input'),
  );

  it('of another workspace is not found', async () => {
    for (const [method, path, body] of [
      ['GET', '/suppressions', undefined],
      ['GET', '/suppressions?format=csv', undefined],
      ['POST', '/suppressions', { address: 'a@b.c' }],
    ] as const)
      expect((await world.callDashboardApi(method, shop.path + path, body, stranger)).status).toBe(404);
  });
});

async function otherUser(): Promise<string> {
  const user = { email: `messages-${Date.now()}@example.com`, password: 'a long enough password' };
  await world.callDashboardApi('POST', '/users', user);
  const { body } = await world.call('POST', '/dashboard/api/session', { body: user });
  return String(body['token']);
}
