import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createSession,
  createWorkspace,
  endAllSessions,
  endOneSession,
  endSession,
  getMe,
  listSessions,
  switchWorkspace,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { Retention } from '../../retention/retention.js';
import { AccountsFixture, codeOf, hashOf, OPERATOR } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const userWithSession = async () => {
  const { id, email, password } = await fixture.newUser();
  const request = { email, password, ip: '192.0.2.8', user_agent: FIREFOX };
  const { token } = await fixture.client.request(createSession, request);
  return { user_id: id, email, password, token };
};
const sessionsOf = ({ user_id, token }: { readonly user_id: string; readonly token: string }) =>
  fixture.client.request(listSessions, { user_id, token_hash: hashOf(token) });
const age = (token: string, minutes: number) =>
  fixture.query('UPDATE sessions SET last_used_at = now() - make_interval(mins => $2) WHERE token_hash = $1', [
    hashOf(token),
    minutes,
  ]);

describe('the list of sessions', () => {
  it('shows the times and client of each session, and marks the current session', async () => {
    const user = await userWithSession();
    const other = await fixture.logIn(user.email, user.password, '2001:db8::7');
    await age(user.token, 30);

    const [latest, earlier, ...more] = await sessionsOf(user);
    expect(more).toEqual([]);
    expect(latest).toMatchObject({ client_address: '2001:db8::7', user_agent: null, current: false });
    expect(earlier).toMatchObject({ client_address: '192.0.2.8', user_agent: 'Firefox on Linux', current: true });
    expect(Date.now() - Date.parse(earlier?.last_used_at as string)).toBeGreaterThan(29 * 60_000);
    expect(JSON.stringify([latest, earlier])).not.toContain(hashOf(other.token));
  });

  it('contains no sessions of other users', async () => {
    const user = await userWithSession();
    await userWithSession();
    expect(await sessionsOf(user)).toHaveLength(1);
  });
});

describe('a session', () => {
  it('identifies the user and the workspace for a week', async () => {
    const { id, email, password, workspaces } = await fixture.newUser();
    const { token, expires_at } = await fixture.logIn(email, password);
    // The service estimates the clock of PostgreSQL, which may be some milliseconds ahead.
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
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

  it('ends after twelve hours without use, before it expires', async () => {
    const user = await userWithSession();
    await age(user.token, 719);
    await expect(fixture.whoIs(user.token)).resolves.toMatchObject({ email: user.email });
    await age(user.token, 721);
    await expect(fixture.whoIs(user.token)).rejects.toMatchObject({ code: 'session_invalid' });
    expect(await sessionsOf(user)).toEqual([]);
    await fixture.replicas[0]?.app.get(Retention, { strict: false }).run({ now: new Date() });
    expect(await fixture.query('SELECT id FROM sessions WHERE user_id = $1', [user.user_id])).toEqual([]);
  });

  it('is kept alive by its use', async () => {
    const user = await userWithSession();
    await age(user.token, 700);
    await fixture.whoIs(user.token);
    const [session] = await sessionsOf(user);
    expect(Date.now() - Date.parse(session?.last_used_at as string)).toBeLessThan(60_000);
  });

  it('can be ended from another session of its user, and by no other user', async () => {
    const user = await userWithSession();
    const lost = await fixture.logIn(user.email, user.password);
    const session_id = (await sessionsOf(user)).find(({ current }) => !current)?.id as string;
    const stranger = await fixture.newUser();
    const end = (user_id: string, id = session_id) =>
      codeOf(fixture.client.request(endOneSession, { user_id, session_id: id }));

    expect(await end(stranger.id)).toBe('session_not_found');
    expect(await end(user.user_id, uuidv7())).toBe('session_not_found');
    await expect(fixture.whoIs(lost.token)).resolves.toMatchObject({ email: user.email });
    expect(await end(user.user_id)).toBeUndefined();
    await expect(fixture.whoIs(lost.token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(fixture.whoIs(user.token)).resolves.toMatchObject({ email: user.email });
  });

  it('is ended with all other sessions of its user, and no sessions of other users', async () => {
    const user = await userWithSession();
    const other = await fixture.logIn(user.email, user.password);
    const stranger = await userWithSession();
    expect(await fixture.client.request(endAllSessions, { user_id: user.user_id })).toEqual({ ended: 2 });
    for (const { token } of [user, other])
      await expect(fixture.whoIs(token)).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(fixture.whoIs(stranger.token)).resolves.toMatchObject({ email: stranger.email });
  });
});
