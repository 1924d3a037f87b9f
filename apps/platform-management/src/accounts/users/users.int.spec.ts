import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admitPlatformCall, createPlatformKey, createUser, listUsers, setUserEnabled } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, OPERATOR } from '../../testing/accounts-fixture.js';

let fixture: AccountsFixture;
let operator: string;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
  operator = await fixture.operatorId();
}, 60_000);
afterAll(() => fixture?.stop());

const setEnabled = (user_id: string, enabled: boolean, actor_id = operator) =>
  fixture.client.request(setUserEnabled, { actor_id, id: user_id, enabled });
const call = (key: string) =>
  codeOf(
    fixture.client.request(admitPlatformCall, {
      key_hash: createHash('sha256').update(key).digest('hex'),
      required: 'read',
      role: 'viewer',
    }),
  );

describe('a disabled user', () => {
  it('loses all sessions, cannot use platform keys, and cannot sign in', async () => {
    const { id, email, password, workspaces } = await fixture.newUser();
    const { token, device_token } = await fixture.logIn(email, password);
    const owner = { user_id: id, workspace_id: workspaces[0]?.id as string };
    const { key } = await fixture.client.request(createPlatformKey, { ...owner, name: 'CI', scope: 'write' });
    expect(await call(key)).toBeUndefined();

    await expect(setEnabled(id, false)).resolves.toMatchObject({ id, enabled: false });
    await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    expect(await call(key)).toBe('platform_key_invalid');
    await expect(fixture.logIn(email, password, '192.0.2.1', device_token)).rejects.toMatchObject({
      code: 'credentials_wrong',
      message: expect.stringContaining('disabled'),
    });
  });

  it('gets the same refusal for a wrong password as other users', async () => {
    const { id, email } = await fixture.newUser();
    const refusal = () => fixture.logIn(email, 'guess').catch(({ message }: Error) => message);
    const before = await refusal();
    await setEnabled(id, false);
    expect(await refusal()).toBe(before);
  });

  it('has no session after concurrent logins', async () => {
    const { id, email, password } = await fixture.newUser();
    const [, ...logins] = await Promise.allSettled([
      setEnabled(id, false),
      ...Array.from({ length: 6 }, (_, n) => fixture.logIn(email, password, `192.0.2.${n}`)),
    ]);
    for (const login of logins)
      if (login.status === 'fulfilled') expect(await codeOf(fixture.whoIs(login.value.token))).toBe('session_invalid');
  });

  it('can sign in and use keys again after being enabled, with a new session', async () => {
    const { id, email, password, workspaces } = await fixture.newUser();
    const { token } = await fixture.logIn(email, password);
    const owner = { user_id: id, workspace_id: workspaces[0]?.id as string };
    const { key } = await fixture.client.request(createPlatformKey, { ...owner, name: 'CI', scope: 'read' });
    await setEnabled(id, false);
    await expect(setEnabled(id, true)).resolves.toMatchObject({ enabled: true });
    await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(fixture.logIn(email, password)).resolves.toHaveProperty('token');
    expect(await call(key)).toBeUndefined();
  });

  it('is recorded in one event for each change, with its actor', async () => {
    const { id } = await fixture.newUser();
    await setEnabled(id, false);
    await setEnabled(id, false);
    await setEnabled(id, true);
    const events = await fixture.query<{ type: string; data: { actor_id: string } }>(
      `SELECT type, data FROM event_store.events WHERE data->>'user_id' = $1 AND type LIKE '%abled%' ORDER BY version`,
      [id],
    );
    expect(events.map(({ type, data }) => [type, data.actor_id])).toEqual([
      ['platform-management.user-disabled.v1', operator],
      ['platform-management.user-enabled.v1', operator],
    ]);
  });

  it('is an existing user, and can be disabled only by an operator', async () => {
    const { id } = await fixture.newUser();
    const other = await fixture.newUser();
    expect(await codeOf(setEnabled(other.id, false, id))).toBe('not_an_operator');
    expect(await codeOf(setEnabled(uuidv7(), false))).toBe('user_not_found');
  });

  it('is never the last operator who can sign in, even if two operators disable each other concurrently', async () => {
    expect(await codeOf(setEnabled(operator, false))).toBe('invalid_input');
    const second = await fixture.newUser({ operator: true });
    const codes = await Promise.all([
      codeOf(setEnabled(second.id, false)),
      codeOf(setEnabled(operator, false, second.id)),
    ]);
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    await setEnabled(operator, true, second.id);
    await setEnabled(second.id, true);
  });
});

describe('the list of users', () => {
  it('contains all users in pages, newest first, with their status', async () => {
    const first = await fixture.newUser();
    const second = await fixture.newUser();
    await setEnabled(second.id, false);
    const list = (limit: number, offset: number) =>
      fixture.client.request(listUsers, { actor_id: operator, limit, offset });
    const { total, items } = await list(2, 0);
    expect(items).toMatchObject([
      { email: second.email, operator: false, enabled: false },
      { email: first.email, workspaces: first.workspaces, enabled: true },
    ]);
    expect((await list(2, total - 1)).items).toMatchObject([
      { email: OPERATOR.email.toLowerCase(), operator: true, enabled: true },
    ]);
  });

  it('is searched by a part of the address', async () => {
    const { email } = await fixture.newUser();
    const search = (text: string) => fixture.client.request(listUsers, { actor_id: operator, search: text });
    expect(await search(email.toUpperCase())).toMatchObject({ total: 1, items: [{ email }] });
    expect(await search('user_')).toMatchObject({ total: 0, items: [] });
  });

  it('is for operators only', async () => {
    const { id } = await fixture.newUser();
    expect(await codeOf(fixture.client.request(listUsers, { actor_id: id }))).toBe('not_an_operator');
  });
});

describe('creating a user', () => {
  const request = { email: 'wanted@example.com', password: 'long enough, really' };

  it('is for operators only', async () => {
    const { id } = await fixture.newUser();
    for (const actor_id of [id, uuidv7()])
      expect(await codeOf(fixture.client.request(createUser, { ...request, actor_id }))).toBe('not_an_operator');
  });

  it('creates operators, who can also create users', async () => {
    const { id } = await fixture.newUser({ operator: true });
    const created = fixture.client.request(createUser, { ...request, email: 'grandchild@example.com', actor_id: id });
    await expect(created).resolves.toMatchObject({ email: 'grandchild@example.com', operator: false });
  });

  it('succeeds once for ten concurrent requests with the same address in different cases', async () => {
    const actor_id = await fixture.operatorId();
    const before = await fixture.query('SELECT id FROM workspaces');
    const spellings = Array.from({ length: 10 }, (_, n) => (n % 2 ? request.email : request.email.toUpperCase()));
    const codes = await Promise.all(
      spellings.map(email => codeOf(fixture.client.request(createUser, { ...request, email, actor_id }))),
    );
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    expect(codes.filter(code => code === 'user_exists')).toHaveLength(9);
    expect(await fixture.query('SELECT id FROM workspaces')).toHaveLength(before.length + 1);
  });

  it('refuses common passwords, and the address or the name of the workspace as the password', async () => {
    const actor_id = await fixture.operatorId();
    const user = { actor_id, email: 'new.hire@example.com', workspace_name: 'Analytical Engines' };
    for (const password of ['password1234', '123456789012', 'new.hire@example.com', 'analyticalengines'])
      await expect(fixture.client.request(createUser, { ...user, password })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^password: (is a common password|must not be your email address)/),
      });
  });

  it('refuses an invalid address', async () => {
    const actor_id = await fixture.operatorId();
    await expect(fixture.client.request(createUser, { ...request, email: 'nobody', actor_id })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('email'),
    });
  });
});
