import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changePassword, createUser, createWorkspace, endSession, getMe, switchWorkspace } from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, hashOf, OPERATOR } from '../testing/accounts-fixture.js';
import { Sessions, UserRepository } from './ports.js';

let house: AccountsFixture;
beforeAll(async () => {
  house = await AccountsFixture.start(OPERATOR, OPERATOR);
}, 60_000);
afterAll(() => house?.stop());

const NEW_PASSWORD = 'a brand new password';
const change = (user_id: string, current_password: string, new_password = NEW_PASSWORD) =>
  house.client.request(changePassword, { user_id, current_password, new_password });

describe('a session', () => {
  it('tells who acts and where, for a week', async () => {
    const { id, email, password, workspaces } = await house.newUser();
    const { token, expires_at } = await house.logIn(email, password);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    const workspace_id = workspaces[0]?.id;
    expect(await house.whoIs(token)).toEqual({ user_id: id, email, operator: false, workspace_id });
  });

  it('is known by the hash of its token only', async () => {
    const { token } = await house.logIn(OPERATOR.email, OPERATOR.password);
    const rows = JSON.stringify(await house.query('SELECT * FROM sessions'));
    expect(rows).toContain(hashOf(token));
    expect(rows).not.toContain(token);
  });

  it('ends when its user logs out, however often, and leaves their others alone', async () => {
    const { token } = await house.logIn(OPERATOR.email, OPERATOR.password);
    const other = await house.logIn(OPERATOR.email, OPERATOR.password);
    for (let n = 0; n < 2; n++) await house.client.request(endSession, { token_hash: hashOf(token) });
    await expect(house.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(house.whoIs(other.token)).resolves.toMatchObject({ operator: true });
  });

  it('ends when it expires', async () => {
    const { token } = await house.logIn(OPERATOR.email, OPERATOR.password);
    await house.query('UPDATE sessions SET expires_at = now() WHERE token_hash = $1', [hashOf(token)]);
    await expect(house.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    const move = house.client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id: uuidv7() });
    await expect(move).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('moves to another workspace of its user and to no other', async () => {
    const { email, password, id } = await house.newUser({ workspace_name: 'First' });
    const { token } = await house.logIn(email, password);
    const second = await house.client.request(createWorkspace, { user_id: id, name: 'Second' });
    const foreign = (await house.newUser()).workspaces[0]?.id as string;
    const moveTo = (workspace_id: string) =>
      house.client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id });

    await expect(moveTo(second.id)).resolves.toEqual(second);
    await expect(moveTo(foreign)).rejects.toMatchObject({ code: 'workspace_not_found' });
    const me = await house.client.request(getMe, await house.whoIs(token));
    expect(me.active_workspace).toEqual(second);
    expect(me.workspaces.map(({ name }) => name)).toEqual(['First', 'Second']);
  });
});

describe('a workspace', () => {
  it('is made by a user who exists', () =>
    expect(codeOf(house.client.request(createWorkspace, { user_id: uuidv7(), name: 'Nobody’s' }))).resolves.toBe(
      'user_not_found',
    ));

  it('is named in text', async () => {
    const { id } = await house.newUser();
    expect(await codeOf(house.client.request(createWorkspace, { user_id: id, name: 'a\0b' }))).toBe('invalid_input');
  });

  it('is made also when more are asked for at once than the database has connections', async () => {
    const { id, email, password } = await house.newUser();
    const names = Array.from({ length: 60 }, (_, n) => `Workspace ${n}`);
    const made = await Promise.all(
      names.map(name => house.client.request(createWorkspace, { user_id: id, name }, { deadlineMs: 20_000 })),
    );
    const session = await house.whoIs((await house.logIn(email, password)).token);
    const { workspaces } = await house.client.request(getMe, session);
    expect(workspaces.slice(1)).toHaveLength(60);
    expect(workspaces).toEqual(expect.arrayContaining(made));
  });
});

describe('creating a user', () => {
  const request = { email: 'wanted@example.com', password: 'long enough, really' };

  it('is for operators only', async () => {
    const { id } = await house.newUser();
    for (const actor_id of [id, uuidv7()])
      expect(await codeOf(house.client.request(createUser, { ...request, actor_id }))).toBe('not_an_operator');
  });

  it('makes operators, who may create users too', async () => {
    const { id } = await house.newUser({ operator: true });
    const created = house.client.request(createUser, { ...request, email: 'grandchild@example.com', actor_id: id });
    await expect(created).resolves.toMatchObject({ email: 'grandchild@example.com', operator: false });
  });

  it('succeeds once when ten ask for the same address in different cases, and leaves nothing of the others', async () => {
    const actor_id = await house.operatorId();
    const before = await house.query('SELECT id FROM workspaces');
    const spellings = Array.from({ length: 10 }, (_, n) => (n % 2 ? request.email : request.email.toUpperCase()));
    const codes = await Promise.all(
      spellings.map(email => codeOf(house.client.request(createUser, { ...request, email, actor_id }))),
    );
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    expect(codes.filter(code => code === 'user_exists')).toHaveLength(9);
    expect(await house.query('SELECT id FROM workspaces')).toHaveLength(before.length + 1);
  });

  it('refuses what is no address', async () => {
    const actor_id = await house.operatorId();
    await expect(house.client.request(createUser, { ...request, email: 'nobody', actor_id })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('email'),
    });
  });
});

describe('a change of password', () => {
  it('needs the present one and ends every session', async () => {
    const { email, password, id } = await house.newUser();
    const { token } = await house.logIn(email, password);
    await expect(change(id, 'not it')).rejects.toMatchObject({ code: 'credentials_wrong' });
    await expect(house.whoIs(token)).resolves.toMatchObject({ email });

    await change(id, password);
    await expect(house.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(house.logIn(email, password)).rejects.toMatchObject({ code: 'credentials_wrong' });
    await house.logIn(email, NEW_PASSWORD);
  });

  it('succeeds once when five ask for it with the same present password', async () => {
    const { email, password, id } = await house.newUser();
    const wishes = Array.from({ length: 5 }, (_, n) => `brand new password ${n}`);
    const codes = await Promise.all(wishes.map(wish => codeOf(change(id, password, wish))));
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    await house.logIn(email, wishes[codes.indexOf(undefined)] as string);
  });

  it('leaves no session to those who log in with the old one meanwhile', async () => {
    const { email, password, id } = await house.newUser();
    const [, ...logins] = await Promise.allSettled([
      change(id, password),
      ...Array.from({ length: 8 }, (_, n) => house.logIn(email, password, `192.0.2.${n}`)),
    ]);
    for (const login of logins)
      if (login.status === 'fulfilled') expect(await codeOf(house.whoIs(login.value.token))).toBe('session_invalid');
  });

  it('shuts out a login that has looked at the old one already', async () => {
    const { id, workspaces } = await house.newUser();
    const app = house.replicas[0]?.app;
    const verified = (await app?.get(UserRepository, { strict: false }).passwordHashOf(id)) as string;
    await change(id, 'another long password');
    const session = {
      tokenHash: hashOf('late'),
      userId: id,
      workspaceId: workspaces[0]?.id as string,
      passwordHash: verified,
      expiresAt: new Date(Date.now() + 60_000),
    };
    expect(await app?.get(Sessions, { strict: false }).open(session)).toBe(false);
    await expect(house.whoIs('late')).rejects.toMatchObject({ code: 'session_invalid' });
  });
});

it('no password and no hash is in an event', async () => {
  const events = JSON.stringify(await house.query('SELECT data FROM event_store.events'));
  expect(events.includes('owner@example.com')).toBe(true);
  expect(events.match(/argon2|password"|long enough|another long/)).toBeNull();
});

it('the read model of accounts can be rebuilt from the events', async () => {
  const rows = () =>
    house.query(
      `SELECT * FROM users u JOIN memberships m ON m.user_id = u.id JOIN workspaces w ON w.id = m.workspace_id
       ORDER BY m.user_id, m.workspace_id`,
    );
  const before = await rows();
  expect(before.length).toBeGreaterThan(60);
  await house.replicas[0]?.app.get(ProjectionRunner, { strict: false }).rebuild('accounts');
  expect(await rows()).toEqual(before);
});
