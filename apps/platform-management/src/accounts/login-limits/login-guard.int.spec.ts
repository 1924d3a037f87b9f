import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changePassword } from '@postern/contracts';
import { AccountsFixture, codeOf, OPERATOR } from '../../testing/accounts-fixture.js';
import { StoppedClock } from '../../testing/stopped-clock.js';

let fixture: AccountsFixture;
let clock: StoppedClock;
beforeAll(async () => {
  fixture = await AccountsFixture.start();
  clock = await StoppedClock.in(fixture.databaseUrl);
  await Promise.all([fixture.addReplica(OPERATOR), fixture.addReplica(OPERATOR)]);
}, 60_000);
afterAll(() => fixture?.stop());

const guess = (email: string, ip: string) => codeOf(fixture.logIn(email, 'guess', ip));
const inTurn = async (times: number, act: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < times; n++) await act(n);
};
const countByCode = (codes: readonly (string | undefined)[]) => {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code ?? 'granted'] = (counts[code ?? 'granted'] ?? 0) + 1;
  return counts;
};

describe('guessing at an account', () => {
  it('is possible ten times from one address, and does not delay other addresses', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(9, () => guess(email, '198.51.100.1'));
    const last = await Promise.all(Array.from({ length: 5 }, () => guess(email, '198.51.100.1')));
    expect(countByCode(last)).toEqual({ credentials_wrong: 1, too_many_attempts: 4 });
    await clock.advance(2);
    const refused = await fixture.logIn(email, password, '198.51.100.1').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'too_many_attempts', details: { retry_after_s: expect.any(Number) } });
    expect((refused as { details: { retry_after_s: number } }).details.retry_after_s).toBeGreaterThan(890);
    await expect(fixture.logIn(email, password, '198.51.100.2')).resolves.toHaveProperty('token');
  });

  it('counts all addresses of an IPv6 /64 network as one', async () => {
    const { email } = await fixture.newUser();
    await inTurn(10, n => guess(email, `2001:db8:7:7::${n}`));
    await clock.advance(2);
    expect(await guess(email, '2001:db8:7:7:ffff::1')).toBe('too_many_attempts');
    expect(await guess(email, '2001:db8:7:8::1')).toBe('credentials_wrong');
  });

  it('from many addresses of one network slows that network down, and no other', async () => {
    const { email, password } = await fixture.newUser();
    const codes = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(email, `198.51.100.${n}`)));
    expect(countByCode(codes)).toEqual({ credentials_wrong: 13, too_many_attempts: 17 });
    const refused = await fixture.logIn(email, password, '198.51.100.200').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'too_many_attempts' });
    await expect(fixture.logIn(email, password, '192.0.2.1')).resolves.toHaveProperty('token');
  });

  it('from twelve networks at once does not block a correct password from a new device of another network', async () => {
    const { email, password } = await fixture.newUser();
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 12 }, (_, n) => guess(email, `203.0.${n}.7`)));
      const ip = `192.0.${round}.2`;
      expect(await guess(email, ip)).toBe('credentials_wrong');
      await expect(fixture.logIn(email, password, ip)).resolves.toHaveProperty('token');
      await clock.advance(5);
    }
  });

  it('from any number of networks is bounded for the account', async () => {
    const { email } = await fixture.newUser();
    const codes: (string | undefined)[] = [];
    await inTurn(6, async round => {
      codes.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => guess(email, `100.${round}.${n}.1`)))));
    });
    expect(countByCode(codes)).toEqual({ credentials_wrong: 70, too_many_attempts: 50 });
    const v6 = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(email, `2001:db8:9:${n}::1`)));
    expect(countByCode(v6)).toEqual({ too_many_attempts: 10 });
  });

  it('does not block a correct password from a device that has signed in before', async () => {
    const { email, password } = await fixture.newUser();
    const { device_token } = await fixture.logIn(email, password, '192.0.2.77');
    await fixture.query(
      `INSERT INTO login_failures (email, ip, at)
       SELECT $1, '192.0.2.77', clock_timestamp() FROM generate_series(1, 500)`,
      [email],
    );
    expect(await codeOf(fixture.logIn(email, password, '192.0.2.77'))).toBe('too_many_attempts');
    await expect(fixture.logIn(email, password, '192.0.2.77', device_token)).resolves.toHaveProperty('token');
  });

  it('with the token of a device has a separate limit of ten attempts, for its own account only', async () => {
    const { email, password } = await fixture.newUser();
    const { device_token } = await fixture.logIn(email, password);
    const stolen = (n: number) => codeOf(fixture.logIn(email, 'guess', `198.51.100.${n}`, device_token));
    await inTurn(10, stolen);
    expect(await stolen(10)).toBe('too_many_attempts');
    await expect(fixture.logIn(email, password)).resolves.toHaveProperty('token');

    const victim = await fixture.newUser();
    await inTurn(10, () => guess(victim.email, '203.0.113.40'));
    await clock.advance(2);
    expect(await codeOf(fixture.logIn(victim.email, 'guess', '203.0.113.40', device_token))).toBe('too_many_attempts');
  });

  it('is allowed again after the window of fifteen minutes', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(11, () => guess(email, '198.51.100.3'));
    await clock.advance(900);
    await expect(fixture.logIn(email, password, '198.51.100.3')).resolves.toHaveProperty('token');
  });

  it('is counted independently of the case of the address', async () => {
    const { email } = await fixture.newUser();
    await inTurn(5, () => guess(email, '198.51.100.4'));
    await inTurn(5, () => guess(email.toUpperCase(), '198.51.100.4'));
    expect(await guess(email, '198.51.100.4')).toBe('too_many_attempts');
  });

  it('is no longer counted after a correct password, for the same source only', async () => {
    const { email, password } = await fixture.newUser();
    await guess(email, '192.0.2.9');
    await inTurn(8, () => guess(email, '192.0.2.3'));
    await fixture.logIn(email, password, '192.0.2.3');
    expect(await fixture.query('SELECT ip FROM login_failures WHERE email = $1', [email])).toEqual([
      { ip: '192.0.2.9' },
    ]);
  });
});

describe('guessing the current password with a session', () => {
  it('is possible ten times, and does not count as failed logins', async () => {
    const { email, id, password } = await fixture.newUser();
    const change = (current_password: string) =>
      codeOf(
        fixture.client.request(changePassword, { user_id: id, current_password, new_password: 'a brand new password' }),
      );
    await inTurn(10, () => guess(email, '192.0.2.4'));
    expect(countByCode(await Promise.all(Array.from({ length: 12 }, () => change('guess'))))).toEqual({
      credentials_wrong: 10,
      too_many_attempts: 2,
    });
    await clock.advance(2);
    expect(await change(password)).toBe('too_many_attempts');
    await expect(fixture.logIn(email, password, '192.0.2.5')).resolves.toHaveProperty('token');
  });

  it('is not limited by failed logins', async () => {
    const { email, id, password } = await fixture.newUser();
    await inTurn(10, () => guess(email, '192.0.2.6'));
    const request = { user_id: id, current_password: password, new_password: 'a brand new password' };
    await expect(fixture.client.request(changePassword, request)).resolves.toEqual({});
  });
});

describe('guessing from an address', () => {
  it('fifty times over many accounts does not block the correct password of another account', async () => {
    const { email, password } = await fixture.newUser();
    await inTurn(6, round =>
      Promise.all(Array.from({ length: 10 }, (_, n) => guess(`prey-${round}-${n}@example.com`, '203.0.113.20'))),
    );
    await expect(fixture.logIn(email, password, '203.0.113.20')).resolves.toHaveProperty('token');
    expect(await guess('prey@example.com', '203.0.113.20')).toBe('credentials_wrong');
  }, 60_000);

  it('in a flood is refused immediately, and delays no other address', async () => {
    const { email, password } = await fixture.newUser();
    const flood = Array.from({ length: 200 }, (_, n) => guess(`flooded-${n}@example.com`, '203.0.113.30'));
    await expect(fixture.logIn(email, password, '203.0.113.31')).resolves.toHaveProperty('token');
    const counts = countByCode(await Promise.all(flood));
    expect(counts['too_many_attempts']).toBeGreaterThan(50);
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
    // Processor time instead of elapsed time detects a missing hash computation also on a busy machine.
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
