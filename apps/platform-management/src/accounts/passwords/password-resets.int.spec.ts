import { afterAll, describe, expect, it } from '@jest/globals';
import {
  changePassword,
  confirmPasswordReset,
  issuePasswordResetToken,
  requestPasswordReset,
  setUserEnabled,
} from '@postern/contracts';
import { Retention } from '../../retention/retention.js';
import { AccountsFixture, codeOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

const PASSWORD = 'four unrelated words here';
let networks = 0;
const requestReset = (email: string, ip = `203.0.113.${++networks}`) =>
  fixture.client.request(requestPasswordReset, { email, ip });
const requestsOf = (email: string) =>
  fixture.query<{ id: string }>('SELECT id FROM password_reset_requests WHERE email = $1 ORDER BY id', [email]);
const issue = async (request_id: string) =>
  (await fixture.client.request(issuePasswordResetToken, { request_id })).mail;
const confirm = (token: string, password = PASSWORD) =>
  fixture.client.request(confirmPasswordReset, { token, password });
const tokenFor = async ({ email }: User): Promise<string> => {
  await requestReset(email);
  const mail = await issue((await requestsOf(email)).at(-1)?.id as string);
  return mail?.token as string;
};

describe('a password reset request', () => {
  it('has the same effect for a user and an unknown address until the mail is issued', async () => {
    const { email } = await fixture.newUser();
    const traceOf = async (address: string) => {
      const before = await fixture.query('SELECT count(*)::integer AS n FROM event_store.events');
      expect(await requestReset(address.toUpperCase())).toEqual({});
      const after = await fixture.query('SELECT count(*)::integer AS n FROM event_store.events');
      return [before, after].map(rows => (rows[0] as { n: number }).n).reduce((first, second) => second - first);
    };
    expect([await traceOf(email), await traceOf('nobody@example.org')]).toEqual([1, 1]);
    expect((await issue((await requestsOf(email))[0]?.id as string))?.email).toBe(email);
    expect(await issue((await requestsOf('nobody@example.org'))[0]?.id as string)).toBeNull();
  });

  it('is limited to three per hour for an address and twenty for a network, with the same reply beyond the limit', async () => {
    const { email } = await fixture.newUser();
    for (let n = 0; n < 5; n++) expect(await requestReset(email)).toEqual({});
    expect(await requestsOf(email)).toHaveLength(3);
    for (let n = 0; n < 22; n++) expect(await requestReset(`a-${n}@example.net`, '2001:db8:1:2::7')).toEqual({});
    const network = await fixture.query('SELECT id FROM password_reset_requests WHERE network LIKE $1', [
      '2001:db8:1:2%',
    ]);
    expect(network).toHaveLength(20);
  });

  it('of a disabled user issues no mail', async () => {
    const { id, email } = await fixture.newUser();
    await requestReset(email);
    await fixture.client.request(setUserEnabled, { actor_id: await fixture.operatorId(), id, enabled: false });
    expect(await issue((await requestsOf(email))[0]?.id as string)).toBeNull();
  });

  it('stores neither the address in an event nor the token', async () => {
    const user = await fixture.newUser();
    const token = await tokenFor(user);
    const events = await fixture.query(`SELECT data FROM event_store.events WHERE stream_id LIKE 'password-reset-%'`);
    const rows = await fixture.query('SELECT * FROM password_reset_requests');
    expect(JSON.stringify(events)).not.toContain(user.email);
    expect(JSON.stringify([events, rows])).not.toContain(token);
  });
});

describe('a password reset link', () => {
  it('sets the password and ends all sessions of the user', async () => {
    const user = await fixture.newUser();
    const { token: session } = await fixture.logIn(user.email, user.password);
    await confirm(await tokenFor(user));
    expect(await codeOf(fixture.whoIs(session))).toBe('session_invalid');
    expect(await codeOf(fixture.logIn(user.email, user.password))).toBe('credentials_wrong');
    expect(await codeOf(fixture.logIn(user.email, PASSWORD))).toBeUndefined();
  });

  it('works once, also for concurrent requests', async () => {
    const token = await tokenFor(await fixture.newUser());
    const codes = await Promise.all(Array.from({ length: 4 }, () => codeOf(confirm(token))));
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([undefined, 'token_invalid']));
  });

  it('works for 30 minutes', async () => {
    const user = await fixture.newUser();
    const token = await tokenFor(user);
    const age = (minutes: number) =>
      fixture.query(
        'UPDATE password_reset_requests SET requested_at = now() - make_interval(mins => $2) WHERE email = $1',
        [user.email, minutes],
      );
    await age(31);
    expect(await codeOf(confirm(token))).toBe('token_invalid');
    await age(29);
    expect(await codeOf(confirm(token))).toBeUndefined();
  });

  it('does not work after the password was changed or set with another link', async () => {
    const user = await fixture.newUser();
    const [first, second] = [await tokenFor(user), await tokenFor(user)];
    await confirm(second);
    expect(await codeOf(confirm(first))).toBe('token_invalid');
    const third = await tokenFor(user);
    await fixture.client.request(changePassword, {
      user_id: user.id,
      current_password: PASSWORD,
      new_password: 'four other words there',
    });
    expect(await codeOf(confirm(third))).toBe('token_invalid');
  });

  it('refuses common passwords and the address, and stays valid', async () => {
    const user = await fixture.newUser();
    const token = await tokenFor(user);
    expect(await codeOf(confirm(token, 'passwordpassword'))).toBe('invalid_input');
    expect(await codeOf(confirm(token, user.email))).toBe('invalid_input');
    expect(await codeOf(confirm(token))).toBeUndefined();
  });

  it('is deleted with its request after an hour', async () => {
    const { email } = await fixture.newUser();
    await requestReset(email);
    await fixture.query(`UPDATE password_reset_requests SET requested_at = now() - interval '61 minutes'`);
    await fixture.replicas[0]?.app.get(Retention, { strict: false }).run({ now: new Date() });
    expect(await requestsOf(email)).toEqual([]);
  });
});

describe('a mailed link', () => {
  it('makes the device known, so that guesses from everywhere do not delay its sign-in', async () => {
    const user = await fixture.newUser();
    await fixture.query(
      `INSERT INTO login_failures (email, ip, wide_network, is_first, at)
       SELECT $1, '100.9.' || n || '.1', '100.9.' || n || '.0/24', n <= 60, clock_timestamp()
       FROM generate_series(1, 200) AS n`,
      [user.email],
    );
    expect(await codeOf(fixture.logIn(user.email, user.password, '192.0.2.1'))).toBe('too_many_attempts');
    const { device_token } = await confirm(await tokenFor(user));
    await expect(fixture.logIn(user.email, PASSWORD, '192.0.2.1', device_token)).resolves.toHaveProperty('token');
  });
});
