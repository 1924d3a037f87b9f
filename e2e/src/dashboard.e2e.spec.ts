import { beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR_EMAIL } from '@postern/local-start';
import { eventually } from '@postern/testing';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const sender = await world.sender('Shop', 'shop.test');

describe('POST /dashboard/api/session', () => {
  it('returns a token and sets it as an HttpOnly, SameSite=Strict cookie', async () => {
    const { status, headers, body } = await signIn(world.postern.operator);
    const cookie = headers.get('set-cookie') ?? '';

    expect([status, body['token']]).toEqual([200, expect.any(String)]);
    expect(cookie).toContain(body['token']);
    expect(cookie).toMatch(/; HttpOnly/i);
    expect(cookie).toMatch(/; SameSite=Strict/i);
  });

  it('a wrong password and an unknown address get the same 401', async () => {
    const wrong = await signIn({ email: OPERATOR_EMAIL, password: 'not the password' });
    const unknown = await signIn({ email: 'nobody@example.com', password: 'not the password' });

    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body).toEqual({ error: expect.any(String) });
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.get('set-cookie')).toBeNull();
  });

  it('scripts send the token as Bearer, browsers as the cookie', async () => {
    const { headers, body } = await signIn(world.postern.operator);
    const cookie = headers.get('set-cookie')?.split(';')[0] as string;

    const asScript = await me({ authorization: `Bearer ${body['token']}` });
    const asBrowser = await me({ cookie });
    expect(asScript).toMatchObject({ status: 200, body: { email: OPERATOR_EMAIL, operator: true } });
    expect(asBrowser.body).toEqual(asScript.body);
  });

  it('a write with the cookie must come from a page of Postern', async () => {
    const { headers } = await signIn(world.postern.operator);
    const cookie = headers.get('set-cookie')?.split(';')[0] as string;
    const create = (origin: Record<string, string>) =>
      world.call('POST', '/dashboard/api/email-services', { headers: { cookie, ...origin }, body: { name: 'Forged' } });

    expect((await create({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await create({ origin: 'https://evil.test' })).status).toBe(403);
    expect((await create({})).status).toBe(403);
    expect((await create({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });

  it('a missing or ended session is refused', async () => {
    const token = (await signIn(world.postern.operator)).body['token'] as string;
    expect((await world.callDashboardApi('GET', '/me', undefined, token)).status).toBe(200);
    await world.callDashboardApi('DELETE', '/session', undefined, token);

    expect((await world.callDashboardApi('GET', '/me', undefined, token)).status).toBe(401);
    expect((await world.callDashboardApi('GET', '/me', undefined, 'made-up')).status).toBe(401);
    expect((await me({})).status).toBe(401);
  });
});

describe('workspaces isolate email services', () => {
  let stranger: string;

  beforeAll(async () => {
    const user = { email: 'dora@example.com', password: 'a long enough password' };
    expect((await world.callDashboardApi('POST', '/users', user)).status).toBe(201);
    stranger = (await signIn(user)).body['token'] as string;
  });

  const READS = [
    '',
    '/api-keys',
    '/domains',
    '/recipients',
    '/webhooks',
    '/emails',
    '/suppressions',
    `/stats?${today()}`,
  ];

  it.each(READS.map(path => [path || 'the service']))('%s: 404 for another workspace', async path => {
    const own = await world.callDashboardApi('GET', sender.path + (path === 'the service' ? '' : path));
    const foreign = await world.callDashboardApi(
      'GET',
      sender.path + (path === 'the service' ? '' : path),
      undefined,
      stranger,
    );

    expect([own.status, foreign.status]).toEqual([200, 404]);
    expect(foreign.body).toEqual({ error: expect.any(String) });
  });

  it.each([
    ['PATCH', '', { enabled: false }],
    ['POST', '/api-keys', { name: 'stolen' }],
    ['POST', '/domains', { domain: 'stolen.test' }],
    ['POST', '/recipients', { address: 'thief@customers.test' }],
    ['POST', '/webhooks', { url: 'https://thief.test/', events: ['opened'] }],
    ['DELETE', '/suppressions/ada@customers.test', undefined],
  ])('%s %s: 404 for another workspace, and no change', async (method, path, body) => {
    const before = (await world.callDashboardApi('GET', sender.path)).body;

    expect((await world.callDashboardApi(method, sender.path + path, body, stranger)).status).toBe(404);
    expect((await world.callDashboardApi('GET', sender.path)).body).toEqual(before);
  });

  it('the list of services shows only those of the workspace', async () => {
    const { body } = await world.callDashboardApi('POST', '/email-services', { name: 'Of Dora' }, stranger);

    expect((await world.callDashboardApi('GET', '/email-services', undefined, stranger)).body).toMatchObject([
      { id: body['id'] },
    ]);
    expect((await world.callDashboardApi('GET', '/email-services')).body).not.toContainEqual(
      expect.objectContaining({ id: body['id'] }),
    );
  });

  it('one user can have several, and acts in the selected one', async () => {
    const workspace = await world.callDashboardApi('POST', '/workspaces', { name: 'Second shop' }, stranger);
    const before = (await world.callDashboardApi('GET', '/me', undefined, stranger)).body['active_workspace'] as {
      id: string;
    };
    await world.callDashboardApi('POST', '/session/workspace', { workspace_id: workspace.body['id'] }, stranger);
    expect((await world.callDashboardApi('GET', '/email-services', undefined, stranger)).body).toEqual([]);

    await world.callDashboardApi('POST', '/session/workspace', { workspace_id: before.id }, stranger);
    expect((await world.callDashboardApi('GET', '/email-services', undefined, stranger)).body).toHaveLength(1);
  });

  it('only an operator can create users', async () => {
    const { status } = await world.callDashboardApi(
      'POST',
      '/users',
      { email: 'c@example.com', password: 'long enough, too' },
      stranger,
    );

    expect(status).toBe(403);
  });
});

describe('email services', () => {
  it('are listed with the data of the dashboard, and renamed', async () => {
    await world.callDashboardApi('PATCH', sender.path, { name: 'Corner shop' });
    const [listed] = (
      (await world.callDashboardApi('GET', '/email-services')).body as unknown as { id: string }[]
    ).filter(({ id }) => id === sender.serviceId);

    expect(listed).toMatchObject({
      name: 'Corner shop',
      mode: 'production',
      enabled: true,
      open_tracking: true,
      click_tracking: false,
      suppression: false,
    });
  });

  it.each([
    ['no name', {}, /^name\b/],
    ['an empty name', { name: '  ' }, /^name\b/],
    ['an unknown field', { name: 'x', colour: 'red' }, /colour/],
  ])('%s: 400 naming the field', async (_, body, names) => {
    expect(await world.callDashboardApi('POST', '/email-services', body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(names) },
    });
  });

  it('show an API key once: afterwards only its prefix', async () => {
    const created = await world.callDashboardApi('POST', `${sender.path}/api-keys`, { name: 'Worker' });
    const key = created.body['key'] as string;
    const listed = await world.callDashboardApi('GET', `${sender.path}/api-keys`);

    expect(created.status).toBe(201);
    expect(key).toMatch(/^em_live_[0-9A-Za-z]{43}$/);
    expect(created.body['key_prefix']).toBe(key.slice(0, 12));
    expect(listed.body).toContainEqual(expect.objectContaining({ name: 'Worker', key_prefix: key.slice(0, 12) }));
    expect(JSON.stringify(listed.body)).not.toContain(key);
  });
});

describe('messages', () => {
  it('are listed newest first, searched, paged, and filtered by state', async () => {
    const listing = await world.sender('Listing', 'listing.test');
    const mail = { ...MAIL, from: 'a@listing.test' };
    for (const name of ['first', 'second', 'third'])
      await listing.send({ ...mail, to: [`${name}@customers.test`], subject: `The ${name}` });
    const bounced = await listing.send({ ...mail, to: ['hard-bounce@simulator.test'], subject: 'The fourth' });
    await listing.event('bounced', bounced.body['id'] as string);
    const subjects = async (query: string) => {
      const { items, total } = await world.dashboard.get<Page>(`${listing.path}/emails?${query}`);
      return { subjects: items.map(({ subject }) => subject), total };
    };

    await eventually(async () =>
      expect(await subjects('')).toEqual({
        subjects: ['The fourth', 'The third', 'The second', 'The first'],
        total: 4,
      }),
    );
    expect(await subjects('limit=2&offset=1')).toEqual({ subjects: ['The third', 'The second'], total: 4 });
    expect(await subjects('search=second@cust')).toEqual({ subjects: ['The second'], total: 1 });
    expect(await subjects('search=the%20third')).toEqual({ subjects: ['The third'], total: 1 });
    await eventually(async () =>
      expect(await subjects('state=bounced')).toEqual({ subjects: ['The fourth'], total: 1 }),
    );
  });

  it('have a timeline of all events', async () => {
    const { body } = await sender.send({ ...MAIL, to: ['complaint@simulator.test'] });
    const id = body['id'] as string;
    await sender.event('complained', id);
    const shown = await eventually(async () => {
      const email = await world.dashboard.get<Tracked>(`${sender.path}/emails/${id}`);
      expect(email.recipients[0]?.state).toBe('complained');
      return email;
    });

    expect(shown).toMatchObject({ id, status: 'sent', mode: 'production', subject: MAIL.subject });
    expect(shown.timeline.map(({ kind }) => kind)).toEqual(['accepted', 'handed_over', 'delivered', 'complained']);
    expect(shown.timeline.map(({ at }) => at)).toEqual(shown.timeline.map(({ at }) => at).toSorted());
  });

  it('that are delayed show that in the timeline, and remain in delivery', async () => {
    const { body } = await sender.send({ ...MAIL, to: ['slow@simulator.test'] });
    const id = body['id'] as string;
    const kinds = async () =>
      (await world.dashboard.get<Tracked>(`${sender.path}/emails/${id}`)).timeline.map(({ kind }) => kind);

    await eventually(async () => expect(await kinds()).toEqual(['accepted', 'handed_over', 'delayed']));
    await sender.event('delivered', id);
    await eventually(async () => expect(await kinds()).toEqual(['accepted', 'handed_over', 'delayed', 'delivered']));
  });

  it('are counted by day, with rates; mail to the simulator alone on request', async () => {
    const counted = await world.sender('Counted', 'counted.test');
    const mail = { ...MAIL, from: 'a@counted.test' };
    await counted.send({ ...mail, to: ['ada@customers.test', 'bea@customers.test'] });
    await counted.send({ ...mail, to: ['hard-bounce@simulator.test'] });
    await counted.send({ ...mail, to: ['ada@customers.test', 'hard-bounce@simulator.test'] });

    await eventually(async () =>
      expect((await world.callDashboardApi('GET', `${counted.path}/stats?${today()}`)).body).toMatchObject({
        total: { accepted: 4, sent: 4, failed: 0, delivered: 3, bounced_hard: 1, complained: 0 },
        rates: { delivered: 0.75, bounced: 0.25, complained: 0 },
        days: [{ accepted: 4, date: new Date().toISOString().slice(0, 10) }],
      }),
    );
    await eventually(async () =>
      expect(
        (await world.callDashboardApi('GET', `${counted.path}/stats?${today()}&simulator=include`)).body,
      ).toMatchObject({
        total: { accepted: 5, sent: 5, delivered: 3, bounced_hard: 2 },
        rates: { delivered: 0.6, bounced: 0.4 },
      }),
    );
    expect((await world.callDashboardApi('GET', `${counted.path}/stats?${today()}&simulator=perhaps`)).status).toBe(
      400,
    );
  });
});

const MAIL = { from: 'Shop <orders@shop.test>', to: ['ada@customers.test'], subject: 'Your receipt', text: 'Thanks.' };

interface Page {
  readonly items: readonly { readonly subject: string }[];
  readonly total: number;
}

interface Tracked {
  readonly recipients: readonly { readonly state: string }[];
  readonly timeline: readonly { readonly at: string; readonly kind: string }[];
}

const signIn = ({ email, password }: { readonly email: string; readonly password: string }) =>
  world.call('POST', '/dashboard/api/session', { body: { email, password } });

const me = (headers: Record<string, string>) => world.call('GET', '/dashboard/api/me', { headers });

function today(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `from=${date}&to=${date}`;
}
