import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountsFixture, hashOf, OPERATOR } from '../testing/accounts-fixture.js';
import { DeleteExpiredLogins } from './delete-expired-logins.js';

let house: AccountsFixture;
beforeAll(async () => {
  house = await AccountsFixture.start(OPERATOR);
}, 60_000);
afterAll(() => house?.stop());

it('sessions that have expired and failures that no longer count are deleted, and no others', async () => {
  const [expired, valid] = await Promise.all([
    house.logIn(OPERATOR.email, OPERATOR.password),
    house.logIn(OPERATOR.email, OPERATOR.password),
  ]);
  await house.query('UPDATE sessions SET expires_at = now() WHERE token_hash = $1', [hashOf(expired.token)]);
  for (const name of ['old', 'new']) await house.logIn(`${name}@example.com`, 'guess').catch(() => undefined);
  await house.query(`UPDATE login_failures SET at = now() - interval '15 minutes' WHERE email = 'old@example.com'`);

  await house.replicas[0]?.app.get(DeleteExpiredLogins, { strict: false }).run();

  expect(await house.query('SELECT token_hash FROM sessions')).toEqual([{ token_hash: hashOf(valid.token) }]);
  expect(await house.query('SELECT email FROM login_failures')).toEqual([{ email: 'new@example.com' }]);
  await expect(house.whoIs(valid.token)).resolves.toMatchObject({ operator: true });
});
