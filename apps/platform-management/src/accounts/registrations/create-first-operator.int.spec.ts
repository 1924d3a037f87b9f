import { afterEach, describe, expect, it } from '@jest/globals';
import { getMe } from '@postern/contracts';
import { AccountsFixture, OPERATOR } from '../../testing/accounts-fixture.js';

let fixture: AccountsFixture;
afterEach(() => fixture?.stop());

const OTHER = { email: 'other@example.com', password: 'quite another password' };
const operators = () => fixture.query<{ email: string }>('SELECT email FROM credentials WHERE operator');

describe('the first operator', () => {
  it('is created once by two replicas that start concurrently, with a workspace called Default', async () => {
    fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
    expect(await operators()).toEqual([{ email: 'owner@example.com' }]);
    const session = await fixture.whoIs((await fixture.logIn('OWNER@example.com', OPERATOR.password)).token);
    expect(session).toMatchObject({ email: 'owner@example.com', operator: true });
    const me = await fixture.client.request(getMe, session);
    expect(me).toMatchObject({ operator: true, active_workspace: { name: 'Default' } });
    expect(me.workspaces).toEqual([me.active_workspace]);
  });

  it('is created once by replicas that start concurrently with different configurations', async () => {
    fixture = await AccountsFixture.start(OPERATOR, OTHER, OPERATOR, OTHER);
    expect(await operators()).toHaveLength(1);
    expect(await fixture.query('SELECT id FROM users')).toHaveLength(1);
    expect(await fixture.query('SELECT id FROM workspaces')).toHaveLength(1);
  });

  it('keeps the address and password at every later start', async () => {
    fixture = await AccountsFixture.start(OPERATOR);
    await fixture.addReplica({ ...OPERATOR, password: 'changed in the settings' });
    await fixture.addReplica(OTHER);
    expect(await operators()).toEqual([{ email: 'owner@example.com' }]);
    await expect(fixture.logIn(OPERATOR.email, OPERATOR.password)).resolves.toHaveProperty('token');
    await expect(fixture.logIn(OPERATOR.email, 'changed in the settings')).rejects.toMatchObject({
      code: 'credentials_wrong',
    });
  });
});
