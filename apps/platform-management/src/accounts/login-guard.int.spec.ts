import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changePassword } from '@postern/contracts';
import { AccountsFixture, codeOf, OPERATOR } from '../testing/accounts-fixture.js';

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
}, 60_000);
afterAll(() => fixture?.stop());

const guess = (email: string, ip: string) => codeOf(fixture.logIn(email, 'guess', ip));
const inTurn = async (times: number, act: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < times; n++) await act(n);
};
const tally = (codes: readonly (string | undefined)[]) => {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code ?? 'granted'] = (counts[code ?? 'granted'] ?? 0) + 1;
  return counts;
};

describe('guessing at an account', () => {
  it('is possible ten times, also with thirty concurrent guesses from as many addresses', async () => {
    const { email, password } = await fixture.newUser();
    const codes = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(email, `198.51.100.${n}`)));
    expect(tally(codes)).toEqual({ credentials_wrong: 10, too_many_attempts: 20 });
    await expect(fixture.logIn(email, password)).rejects.toMatchObject({
      code: 'too_many_attempts',
      details: { retry_after_s: 900 },
    });
  });

  it('is allowed again when the window of fifteen minutes has passed', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(11, n => guess(email, `198.51.100.${n}`));
    await fixture.query(`UPDATE login_failures SET at = at - interval '15 minutes' WHERE email = $1`, [email]);
    await expect(fixture.logIn(email, password)).resolves.toHaveProperty('token');
  });

  it('counts independently of the case of the address', async () => {
    const { email } = await fixture.newUser();
    await inTurn(5, n => guess(email, `198.51.100.${n}`));
    await inTurn(5, n => guess(email.toUpperCase(), `198.51.100.${n}`));
    expect(await guess(email, '198.51.100.9')).toBe('too_many_attempts');
  });

  it('starts over after a correct password', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(9, () => guess(email, '192.0.2.3'));
    await fixture.logIn(email, password, '192.0.2.3');
    expect(await fixture.query('SELECT id FROM login_failures WHERE email = $1', [email])).toEqual([]);
    expect(await guess(email, '192.0.2.3')).toBe('credentials_wrong');
  });

  it('includes wrong passwords of a session that changes the password', async () => {
    const { email, id, password } = await fixture.newUser();
    const change = (current_password: string) =>
      codeOf(
        fixture.client.request(changePassword, { user_id: id, current_password, new_password: 'a brand new password' }),
      );
    await inTurn(8, () => guess(email, '192.0.2.4'));
    expect(tally(await Promise.all(Array.from({ length: 6 }, () => change('guess'))))).toEqual({
      credentials_wrong: 2,
      too_many_attempts: 4,
    });
    expect(await change(password)).toBe('too_many_attempts');
  });
});

describe('guessing from an address', () => {
  it('is possible fifty times over all accounts, also with twenty concurrent guesses', async () => {
    await inTurn(4, async round => {
      const victims = Array.from({ length: 10 }, (_, n) => `victim-${round}-${n}@example.com`);
      await Promise.all(victims.map(email => guess(email, '203.0.113.9')));
    });
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => guess(`last-victim-${n}@example.com`, '203.0.113.9')),
    );
    expect(tally(codes)).toEqual({ credentials_wrong: 10, too_many_attempts: 10 });
    expect(await guess('another@example.com', '203.0.113.10')).toBe('credentials_wrong');
  }, 60_000);

  it('is not reset by a successful login to another account', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(5, round =>
      Promise.all(Array.from({ length: 10 }, (_, n) => guess(`prey-${round}-${n}@example.com`, '203.0.113.20'))),
    );
    expect(await codeOf(fixture.logIn(email, password, '203.0.113.20'))).toBe('too_many_attempts');
    await fixture.logIn(email, password, '203.0.113.21');
    expect(await guess('prey@example.com', '203.0.113.20')).toBe('too_many_attempts');
  }, 60_000);
});

describe('an unknown user', () => {
  it('gets the same message as a wrong password', async () => {
    const { email } = await fixture.newUser();
    const refusalOf = (address: string) =>
      fixture.logIn(address, 'guess', '192.0.2.5').catch((error: unknown) => error);
    const wrong = await refusalOf(email);
    expect(wrong).toMatchObject({ code: 'credentials_wrong' });
    for (const unknown of ['nobody@example.com', 'nobody', 'no\0body@example.com']) {
      const { code, message, details } = wrong as { code: string; message: string; details: object };
      expect(await refusalOf(unknown)).toMatchObject({ code, message, details });
    }
  });

  it('costs as much processor time as a wrong password', async () => {
    const { email } = await fixture.newUser();
    // Time on the processor, not on the clock: it tells hashing from not hashing on a busy machine too.
    const costOf = async (act: () => Promise<unknown>) => {
      const before = process.cpuUsage();
      await act();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const median = (costs: number[]) => costs.sort((a, b) => a - b)[costs.length >> 1] as number;
    const wrong: number[] = [];
    const unknown: number[] = [];
    await inTurn(9, async n => {
      wrong.push(await costOf(() => guess(email, `192.0.2.${10 + n}`)));
      unknown.push(await costOf(() => guess(`nobody-${n}@example.com`, `192.0.2.${10 + n}`)));
    });
    expect(median(unknown) / median(wrong)).toBeGreaterThan(0.6);
    expect(median(unknown) / median(wrong)).toBeLessThan(1 / 0.6);
  });
});
