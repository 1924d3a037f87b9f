import { afterAll, expect, it } from '@jest/globals';
import { AccountsFixture, hashOf, OPERATOR } from '../testing/accounts-fixture.js';
import { Retention } from './retention.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

it('only expired sessions and old login failures are deleted', async () => {
  const [expired, valid] = await Promise.all([
    fixture.logIn(OPERATOR.email, OPERATOR.password),
    fixture.logIn(OPERATOR.email, OPERATOR.password),
  ]);
  await fixture.query('UPDATE sessions SET expires_at = now() WHERE token_hash = $1', [hashOf(expired.token)]);
  for (const name of ['old', 'new']) await fixture.logIn(`${name}@example.com`, 'guess').catch(() => undefined);
  await fixture.query(`UPDATE login_failures SET at = now() - interval '15 minutes' WHERE email = 'old@example.com'`);

  await fixture.replicas[0]?.app.get(Retention, { strict: false }).run({ now: new Date() });

  expect(await fixture.query('SELECT token_hash FROM sessions')).toEqual([{ token_hash: hashOf(valid.token) }]);
  expect(await fixture.query('SELECT email FROM login_failures')).toEqual([{ email: 'new@example.com' }]);
  await expect(fixture.whoIs(valid.token)).resolves.toMatchObject({ operator: true });
});
