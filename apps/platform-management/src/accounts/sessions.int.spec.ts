import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSession, endAllSessions, endOneSession, listSessions } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, hashOf, OPERATOR } from '../testing/accounts-fixture.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR);
}, 60_000);
afterAll(() => fixture?.stop());

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
  it('ends after twelve hours without use, before it expires', async () => {
    const user = await userWithSession();
    await age(user.token, 719);
    await expect(fixture.whoIs(user.token)).resolves.toMatchObject({ email: user.email });
    await age(user.token, 721);
    await expect(fixture.whoIs(user.token)).rejects.toMatchObject({ code: 'session_invalid' });
    expect(await sessionsOf(user)).toEqual([]);
    await fixture.replicas[0]?.app.get(DeleteExpiredLogins, { strict: false }).run();
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
