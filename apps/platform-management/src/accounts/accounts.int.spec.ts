import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changePassword, createUser, createWorkspace, endSession, getMe, switchWorkspace } from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, hashOf, OPERATOR } from '../testing/accounts-fixture.js';
import { Sessions, UserRepository } from './ports.js';

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
}, 60_000);
afterAll(() => fixture?.stop());

const NEW_PASSWORD = 'a brand new password';
const change = (user_id: string, current_password: string, new_password = NEW_PASSWORD) =>
  fixture.client.request(changePassword, { user_id, current_password, new_password });

describe('a session', () => {
  it('identifies the user and the workspace for a week', async () => {
    const { id, email, password, workspaces } = await fixture.newUser();
    const { token, expires_at } = await fixture.logIn(email, password);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    const workspace_id = workspaces[0]?.id;
    expect(await fixture.whoIs(token)).toEqual({
      user_id: id,
      email,
      operator: false,
      workspace_id,
      role: 'owner',
      quotas: {},
    });
  });

  it('is stored only with the hash of its token', async () => {
    const { token } = await fixture.logIn(OPERATOR.email, OPERATOR.password);
    const rows = JSON.stringify(await fixture.query('SELECT * FROM sessions'));
    expect(rows).toContain(hashOf(token));
    expect(rows).not.toContain(token);
  });

  it('ends when its user logs out, also repeatedly, and other sessions of the user stay open', async () => {
    const { token } = await fixture.logIn(OPERATOR.email, OPERATOR.password);
    const other = await fixture.logIn(OPERATOR.email, OPERATOR.password);
    for (let n = 0; n < 2; n++) await fixture.client.request(endSession, { token_hash: hashOf(token) });
    await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(fixture.whoIs(other.token)).resolves.toMatchObject({ operator: true });
  });

  it('ends when it expires', async () => {
    const { token } = await fixture.logIn(OPERATOR.email, OPERATOR.password);
    await fixture.query('UPDATE sessions SET expires_at = now() WHERE token_hash = $1', [hashOf(token)]);
    await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    const move = fixture.client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id: uuidv7() });
    await expect(move).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('switches to another workspace of its user and to no other', async () => {
    const { email, password, id } = await fixture.newUser({ workspace_name: 'First' });
    const { token } = await fixture.logIn(email, password);
    const second = await fixture.client.request(createWorkspace, { user_id: id, name: 'Second' });
    const foreign = (await fixture.newUser()).workspaces[0]?.id as string;
    const moveTo = (workspace_id: string) =>
      fixture.client.request(switchWorkspace, { token_hash: hashOf(token), workspace_id });

    await expect(moveTo(second.id)).resolves.toEqual(second);
    await expect(moveTo(foreign)).rejects.toMatchObject({ code: 'workspace_not_found' });
    const me = await fixture.client.request(getMe, await fixture.whoIs(token));
    expect(me.active_workspace).toEqual({ ...second, role: 'owner' });
    expect(me.workspaces.map(({ name }) => name)).toEqual(['First', 'Second']);
  });
});

describe('a workspace', () => {
  it('is created by an existing user', () =>
    expect(codeOf(fixture.client.request(createWorkspace, { user_id: uuidv7(), name: 'Nobody’s' }))).resolves.toBe(
      'user_not_found',
    ));

  it('has a name without control characters', async () => {
    const { id } = await fixture.newUser();
    expect(await codeOf(fixture.client.request(createWorkspace, { user_id: id, name: 'a\0b' }))).toBe('invalid_input');
  });

  it('is created for more concurrent requests than the database has connections', async () => {
    const users = await Promise.all(Array.from({ length: 7 }, () => fixture.newUser()));
    const made = await Promise.all(
      users.flatMap(({ id: user_id }) =>
        Array.from({ length: 9 }, (_, n) =>
          fixture.client.request(createWorkspace, { user_id, name: `Workspace ${n}` }, { deadlineMs: 20_000 }),
        ),
      ),
    );
    const { id: user_id, workspaces: first } = users[0]!;
    const { workspaces } = await fixture.client.request(getMe, { user_id, workspace_id: first[0]!.id });
    expect(workspaces.slice(1)).toHaveLength(9);
    expect(workspaces).toEqual(
      expect.arrayContaining(made.slice(0, 9).map(workspace => ({ ...workspace, role: 'owner' }))),
    );
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

describe('a change of password', () => {
  it('requires the current password and ends every session', async () => {
    const { email, password, id } = await fixture.newUser();
    const { token } = await fixture.logIn(email, password);
    await expect(change(id, 'not it')).rejects.toMatchObject({ code: 'credentials_wrong' });
    await expect(fixture.whoIs(token)).resolves.toMatchObject({ email });

    await change(id, password);
    await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(fixture.logIn(email, password)).rejects.toMatchObject({ code: 'credentials_wrong' });
    await fixture.logIn(email, NEW_PASSWORD);
  });

  it('refuses common passwords and the address of the user', async () => {
    const { email, password, id } = await fixture.newUser();
    for (const common of ['password1234', '123456789012', email])
      await expect(change(id, password, common)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^new_password: (is a common password|must not be your email address)/),
      });
    await fixture.logIn(email, password);
  });

  it('succeeds once for five concurrent requests with the same current password', async () => {
    const { email, password, id } = await fixture.newUser();
    const passwords = Array.from({ length: 5 }, (_, n) => `brand new password ${n}`);
    const codes = await Promise.all(passwords.map(next => codeOf(change(id, password, next))));
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    await fixture.logIn(email, passwords[codes.indexOf(undefined)] as string);
  });

  it('leaves no session of concurrent logins with the old password', async () => {
    const { email, password, id } = await fixture.newUser();
    const [, ...logins] = await Promise.allSettled([
      change(id, password),
      ...Array.from({ length: 8 }, (_, n) => fixture.logIn(email, password, `192.0.2.${n}`)),
    ]);
    for (const login of logins)
      if (login.status === 'fulfilled') expect(await codeOf(fixture.whoIs(login.value.token))).toBe('session_invalid');
  });

  it('refuses a login that verified the old password before the change', async () => {
    const { id, workspaces } = await fixture.newUser();
    const app = fixture.replicas[0]?.app;
    const verified = (await app?.get(UserRepository, { strict: false }).passwordHashOf(id)) as string;
    await change(id, 'another long password');
    const session = {
      tokenHash: hashOf('late'),
      userId: id,
      workspace: workspaces[0]!,
      passwordHash: verified,
      expiresAt: new Date(Date.now() + 60_000),
      clientAddress: '192.0.2.1',
      userAgent: undefined,
      isKnownDevice: false,
    };
    expect(await app?.get(Sessions, { strict: false }).open(session)).toBe(false);
    await expect(fixture.whoIs('late')).rejects.toMatchObject({ code: 'session_invalid' });
  });
});

it('no password and no hash is in an event', async () => {
  const events = JSON.stringify(await fixture.query('SELECT data FROM event_store.events'));
  expect(events.includes('owner@example.com')).toBe(true);
  expect(events.match(/argon2|password"|long enough|another long/)).toBeNull();
});

it('the read model of accounts can be rebuilt from the events', async () => {
  const rows = () =>
    fixture.query(
      `SELECT * FROM users u JOIN memberships m ON m.user_id = u.id JOIN workspaces w ON w.id = m.workspace_id
       ORDER BY m.user_id, m.workspace_id`,
    );
  const before = await rows();
  expect(before.length).toBeGreaterThan(60);
  await fixture.replicas[0]?.app.get(ProjectionRunner, { strict: false }).rebuild('accounts');
  expect(await rows()).toEqual(before);
});
