import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallerKind, callerKind, createManagementKey, createPlatformKey, findCaller } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, hashOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

let fixture: AccountsFixture;
let user: User;
const values: Partial<Record<CallerKind, string>> = {};
const find = (kind: CallerKind, value: string) => fixture.client.request(findCaller, { kind, value });

beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR);
  user = await fixture.newUser();
  const { token } = await fixture.logIn(user.email, user.password);
  const workspace_id = user.workspaces[0]!.id;
  const owner = { user_id: user.id, workspace_id };
  const platformKey = await fixture.client.request(createPlatformKey, { ...owner, name: 'ci', scope: 'read' });
  const managementKey = await fixture.client.request(createManagementKey, { ...owner, name: 'ci', scopes: ['keys'] });
  await fixture.query(
    `INSERT INTO invitations (id, workspace_id, email, role, invited_by, expires_at, token_hash)
     VALUES ($1, $2, 'guest@example.com', 'viewer', $3, now(), $4)`,
    [uuidv7(), workspace_id, user.id, hashOf('invitation')],
  );
  await fixture.query(
    `INSERT INTO password_reset_requests (id, email, network, token_hash) VALUES ($1, $2, 'any', $3)`,
    [uuidv7(), user.email, hashOf('reset')],
  );
  Object.assign(values, {
    email: ` ${user.email.toUpperCase()} `,
    session: hashOf(token),
    platform_key: hashOf(platformKey.key),
    management_key: hashOf(managementKey.key),
    invitation: hashOf('invitation'),
    password_reset: hashOf('reset'),
  } satisfies typeof values);
}, 60_000);
afterAll(() => fixture?.stop());

const kinds = callerKind.options;

describe('A gateway of several cells', () => {
  it.each(kinds.filter(kind => kind !== 'deploy_hook'))('finds a caller by %s, and by no other kind', async kind => {
    const value = values[kind]!;
    const found = kind === 'invitation' ? { found: true, email: 'guest@example.com' } : { found: true };
    expect(await find(kind, value)).toEqual(found);
    for (const other of kinds.filter(one => one !== kind)) expect(await find(other, value)).toEqual({ found: false });
  });

  it.each(kinds)('is told that there is no such %s', async kind => {
    for (const value of [hashOf('unknown'), 'nobody@example.com', '', "' OR true --"])
      expect(await find(kind, value)).toEqual({ found: false });
  });

  it('counts no call and no attempt by it', async () => {
    await find('platform_key', values.platform_key!);
    await find('email', user.email);
    const [counted] = await fixture.query<{ calls: number; failures: number; uses: number }>(
      `SELECT (SELECT count(*)::int FROM platform_call_counts) AS calls,
         (SELECT count(*)::int FROM login_failures) AS failures,
         (SELECT count(*)::int FROM management_keys WHERE last_used_at IS NOT NULL) AS uses`,
    );
    expect(counted).toEqual({ calls: 0, failures: 0, uses: 0 });
  });
});
