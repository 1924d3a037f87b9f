import { afterAll, describe, expect, it } from '@jest/globals';
import {
  confirmPasswordReset,
  confirmSecondFactor,
  createSession,
  disableSecondFactor,
  getSecondFactor,
  issuePasswordResetToken,
  listUsers,
  removeSecondFactor,
  renewRecoveryCodes,
  requestPasswordReset,
  startSecondFactor,
} from '@postern/contracts';
import { Secret, TOTP } from 'otpauth';
import { AccountsFixture, codeOf, hashOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

/** The code of the period that is `later` periods after the current one; the server refuses `later` > 1. */
const codeFor = (secret: string, later = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later * 30_000 });
let clients = 0;
const signIn = ({ email, password }: Pick<User, 'email' | 'password'>, code?: string, ip = `198.51.100.${++clients}`) =>
  fixture.client.request(createSession, { email, password, ip, ...(code === undefined ? {} : { code }) });
const start = ({ id, password }: User) => fixture.client.request(startSecondFactor, { user_id: id, password });
/** Creates a user with a second factor whose first code is used. */
const enrolled = async () => {
  const user = await fixture.newUser();
  const { token } = await signIn(user);
  const { secret, uri } = await start(user);
  const request = { user_id: user.id, token_hash: hashOf(token), code: codeFor(secret, -1) };
  const { recovery_codes } = await fixture.client.request(confirmSecondFactor, request);
  return { ...user, token, secret, uri, codes: recovery_codes };
};
const stateOf = (user: User) => fixture.client.request(getSecondFactor, { user_id: user.id });
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

describe('enrolling', () => {
  it('requires the password, and takes effect with a first code', async () => {
    const user = await fixture.newUser();
    expect(await codeOf(start({ ...user, password: 'a guess' }))).toBe('credentials_wrong');
    const { token } = await signIn(user);
    const { token: other } = await signIn(user);
    const { secret, uri } = await start(user);
    expect(uri).toContain(`secret=${secret}`);
    expect(await stateOf(user)).toEqual({ enabled: false, recovery_codes_left: 0 });
    expect(await codeOf(signIn(user))).toBeUndefined();

    const confirm = (code: string) =>
      fixture.client.request(confirmSecondFactor, { user_id: user.id, token_hash: hashOf(token), code });
    expect(await codeOf(confirm(wrong(codeFor(secret))))).toBe('credentials_wrong');
    const { recovery_codes } = await confirm(codeFor(secret));
    expect(new Set(recovery_codes).size).toBe(10);
    expect(await stateOf(user)).toEqual({ enabled: true, recovery_codes_left: 10 });
    expect(await codeOf(fixture.whoIs(token))).toBeUndefined();
    expect(await codeOf(fixture.whoIs(other))).toBe('session_invalid');
    expect(await codeOf(start(user))).toBe('second_factor_enabled');
    expect(await codeOf(confirm(codeFor(secret, 1)))).toBe('second_factor_enabled');
  });

  it('expires one hour after its start', async () => {
    const user = await fixture.newUser();
    const { token } = await signIn(user);
    const { secret } = await start(user);
    await fixture.query(`UPDATE second_factors SET started_at = now() - interval '61 minutes' WHERE user_id = $1`, [
      user.id,
    ]);
    const request = { user_id: user.id, token_hash: hashOf(token), code: codeFor(secret) };
    expect(await codeOf(fixture.client.request(confirmSecondFactor, request))).toBe('second_factor_not_started');
  });

  it('stores neither the secret nor a recovery code in plain text in a row or event', async () => {
    const user = await enrolled();
    const rows = await fixture.query('SELECT * FROM second_factors s LEFT JOIN recovery_codes r USING (user_id)');
    const events = await fixture.query('SELECT data FROM event_store.events');
    const stored = JSON.stringify([rows, events]);
    for (const secret of [user.secret, ...user.codes]) expect(stored).not.toContain(secret);
  });
});

describe('a login with a second factor', () => {
  it('requires the password and then a code', async () => {
    const user = await enrolled();
    expect(await codeOf(signIn(user))).toBe('second_factor_required');
    expect(await codeOf(signIn({ ...user, password: 'a guess' }, codeFor(user.secret)))).toBe('credentials_wrong');
    expect(await codeOf(signIn(user, wrong(codeFor(user.secret))))).toBe('credentials_wrong');
    expect(await codeOf(signIn(user, codeFor(user.secret)))).toBeUndefined();
  });

  it('does not reveal the second factor without the password', async () => {
    const user = await enrolled();
    const refusal = (email: string, code?: string) =>
      signIn({ email, password: 'a guess' }, code).catch(({ message }: Error) => message);
    const unknown = await refusal('nobody@example.com');
    expect([await refusal(user.email), await refusal(user.email, '123456')]).toEqual([unknown, unknown]);
  });

  it('refuses a used code, also for concurrent requests, and every older code', async () => {
    const user = await enrolled();
    const code = codeFor(user.secret, 1);
    const codes = await Promise.all(Array.from({ length: 4 }, () => codeOf(signIn(user, code))));
    expect(codes.filter(one => one === undefined)).toHaveLength(1);
    expect(await codeOf(signIn(user, codeFor(user.secret)))).toBe('credentials_wrong');
  });

  it('is limited like wrong passwords', async () => {
    const user = await enrolled();
    const guess = () => codeOf(signIn(user, wrong(codeFor(user.secret)), '192.0.2.99'));
    const guesses: (string | undefined)[] = [];
    for (let n = 0; n < 11; n++) guesses.push(await guess());
    expect(guesses.slice(0, 10)).toEqual(Array(10).fill('credentials_wrong'));
    expect(guesses[10]).toBe('too_many_attempts');
  });

  it('accepts each recovery code once, in any spelling, and records its use', async () => {
    const user = await enrolled();
    const [code = '', second = ''] = user.codes;
    expect(await codeOf(signIn(user, code.toUpperCase().replaceAll('-', ' ')))).toBeUndefined();
    expect(await codeOf(signIn(user, code))).toBe('credentials_wrong');
    const both = await Promise.all([codeOf(signIn(user, second)), codeOf(signIn(user, second))]);
    expect(both.filter(one => one === undefined)).toHaveLength(1);
    expect(await stateOf(user)).toMatchObject({ recovery_codes_left: 8 });
    const events = await fixture.query(
      `SELECT data->'left' AS left FROM event_store.events WHERE type LIKE '%recovery-code-used%' AND data->>'user_id' = $1
       ORDER BY version`,
      [user.id],
    );
    expect(events).toEqual([{ left: 9 }, { left: 8 }]);
  });

  it('still requires the second factor after a password reset by mail', async () => {
    const user = await enrolled();
    await fixture.client.request(requestPasswordReset, { email: user.email, ip: '192.0.2.5' });
    const [row] = await fixture.query<{ id: string }>('SELECT id FROM password_reset_requests WHERE email = $1', [
      user.email,
    ]);
    const { mail } = await fixture.client.request(issuePasswordResetToken, { request_id: row?.id as string });
    const password = 'four unrelated words here';
    await fixture.client.request(confirmPasswordReset, { token: mail?.token as string, password });
    expect(await codeOf(signIn({ ...user, password }))).toBe('second_factor_required');
  });
});

describe('the second factor', () => {
  it('is turned off only with password and code', async () => {
    const user = await enrolled();
    const disable = (password: string, code: string) =>
      codeOf(fixture.client.request(disableSecondFactor, { user_id: user.id, password, code }));
    expect(await disable('a guess', codeFor(user.secret))).toBe('credentials_wrong');
    expect(await disable(user.password, wrong(codeFor(user.secret)))).toBe('credentials_wrong');
    expect(await disable(user.password, codeFor(user.secret))).toBeUndefined();
    expect(await codeOf(signIn(user))).toBeUndefined();
    expect(await disable(user.password, codeFor(user.secret, 1))).toBe('second_factor_not_enabled');
    expect(await fixture.query('SELECT * FROM recovery_codes WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('permits ten wrong codes with a session, independently of correct passwords in between', async () => {
    const user = await enrolled();
    const guess = () => {
      const request = { user_id: user.id, password: user.password, code: wrong(codeFor(user.secret)) };
      return codeOf(fixture.client.request(disableSecondFactor, request));
    };
    for (let n = 0; n < 10; n++) {
      expect(await guess()).toBe('credentials_wrong');
      expect(await codeOf(start(user))).toBe('second_factor_enabled');
    }
    expect(await guess()).toBe('too_many_attempts');
  });

  it('gets new recovery codes with password and code, and the old codes stop working', async () => {
    const user = await enrolled();
    const request = { user_id: user.id, password: user.password, code: codeFor(user.secret) };
    const { recovery_codes } = await fixture.client.request(renewRecoveryCodes, request);
    expect(await codeOf(signIn(user, user.codes[0]))).toBe('credentials_wrong');
    expect(await codeOf(signIn(user, recovery_codes[0]))).toBeUndefined();
  });

  it('is visible to operators and can be removed only by operators', async () => {
    const user = await enrolled();
    const operator = await fixture.operatorId();
    const { items } = await fixture.client.request(listUsers, { actor_id: operator, limit: 1 });
    expect(items).toMatchObject([{ id: user.id, second_factor: true }]);
    const remove = (actor_id: string) => codeOf(fixture.client.request(removeSecondFactor, { actor_id, id: user.id }));
    expect(await remove(user.id)).toBe('not_an_operator');
    expect(await remove(operator)).toBeUndefined();
    expect(await remove(operator)).toBe('second_factor_not_enabled');
    expect(await codeOf(signIn(user))).toBeUndefined();
    const events = await fixture.query(
      `SELECT data->>'actor_id' AS actor FROM event_store.events WHERE type LIKE '%second-factor-disabled%' AND data->>'user_id' = $1`,
      [user.id],
    );
    expect(events).toEqual([{ actor: operator }]);
  });
});
