import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authenticateSession, confirmSecondFactor, createUser, getMe, startSecondFactor } from '@postern/contracts';
import { Secret, TOTP } from 'otpauth';
import { AccountsFixture, hashOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start();
  await fixture.addReplica(OPERATOR, undefined, { POSTERN_REQUIRE_SECOND_FACTOR: 'true' });
}, 60_000);
afterAll(() => fixture?.stop());

const whoIs = (token: string) => fixture.client.request(authenticateSession, { token_hash: hashOf(token) });
const enrol = async ({ id, password }: Pick<User, 'id' | 'password'>, token: string) => {
  const { secret } = await fixture.client.request(startSecondFactor, { user_id: id, password });
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await fixture.client.request(confirmSecondFactor, { user_id: id, token_hash: hashOf(token), code });
};
let users = 0;
const newUser = async (): Promise<User> => {
  const { token } = await fixture.logIn(OPERATOR.email, OPERATOR.password);
  const { user_id: actor_id } = await whoIs(token);
  const password = 'another long password';
  const user = { actor_id, email: `demanded-${++users}@example.com`, password };
  return { ...(await fixture.client.request(createUser, user)), password };
};

describe('if a second factor is required', () => {
  it('the session of a user without a second factor is marked until one is confirmed', async () => {
    const user = await newUser();
    const { token } = await fixture.logIn(user.email, user.password);
    const { workspace_id, ...session } = await whoIs(token);
    expect(session).toMatchObject({ user_id: user.id, second_factor_missing: true });
    const me = { user_id: user.id, workspace_id };
    expect(await fixture.client.request(getMe, me)).toHaveProperty('second_factor_missing', true);

    await enrol(user, token);
    expect(await whoIs(token)).not.toHaveProperty('second_factor_missing');
    expect(await fixture.client.request(getMe, me)).toHaveProperty('second_factor_missing', false);
  });

  it('an unconfirmed secret is not a second factor', async () => {
    const user = await newUser();
    const { token } = await fixture.logIn(user.email, user.password);
    await fixture.client.request(startSecondFactor, { user_id: user.id, password: user.password });
    expect(await whoIs(token)).toHaveProperty('second_factor_missing', true);
  });

  it('the first operator also needs one', async () => {
    const { token } = await fixture.logIn(OPERATOR.email, OPERATOR.password);
    expect(await whoIs(token)).toMatchObject({ operator: true, second_factor_missing: true });
  });
});

it('if no second factor is required, the session of a user without one is not marked', async () => {
  const free = await AccountsFixture.start(OPERATOR);
  try {
    const { token } = await free.logIn(OPERATOR.email, OPERATOR.password);
    expect(await free.whoIs(token)).not.toHaveProperty('second_factor_missing');
  } finally {
    await free.stop();
  }
}, 60_000);
