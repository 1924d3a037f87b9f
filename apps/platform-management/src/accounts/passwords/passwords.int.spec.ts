import { afterAll, describe, expect, it } from '@jest/globals';
import { changePassword } from '@postern/contracts';
import { AccountsFixture, codeOf, hashOf, OPERATOR } from '../../testing/accounts-fixture.js';
import { Logins } from '../logins/logins.js';
import { UserRepository } from '../users/user-repository.js';

const fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
afterAll(() => fixture.stop());

const NEW_PASSWORD = 'a brand new password';
const change = (user_id: string, current_password: string, new_password = NEW_PASSWORD) =>
  fixture.client.request(changePassword, { user_id, current_password, new_password });

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
    expect(await app?.get(Logins, { strict: false }).open(session)).toBe(false);
    await expect(fixture.whoIs('late')).rejects.toMatchObject({ code: 'session_invalid' });
  });
});

it('no password and no hash is in an event', async () => {
  const events = JSON.stringify(await fixture.query('SELECT data FROM event_store.events'));
  expect(events.includes('owner@example.com')).toBe(true);
  expect(events.match(/argon2|password"|long enough|another long/)).toBeNull();
});
