import { afterEach, describe, expect, it } from '@jest/globals';
import { getMe } from '@postern/contracts';
import { AccountsFixture, OPERATOR } from '../testing/accounts-fixture.js';

let house: AccountsFixture;
afterEach(() => house?.stop());

const OTHER = { email: 'other@example.com', password: 'quite another password' };
const operators = () => house.query<{ email: string }>('SELECT email FROM credentials WHERE operator');

describe('the first operator', () => {
  it('is made once by two replicas that start at once, and acts in a workspace called Default', async () => {
    house = await AccountsFixture.start(OPERATOR, OPERATOR);
    expect(await operators()).toEqual([{ email: 'owner@example.com' }]);
    const session = await house.whoIs((await house.logIn('OWNER@example.com', OPERATOR.password)).token);
    expect(session).toMatchObject({ email: 'owner@example.com', operator: true });
    const me = await house.client.request(getMe, session);
    expect(me).toMatchObject({ operator: true, active_workspace: { name: 'Default' } });
    expect(me.workspaces).toEqual([me.active_workspace]);
  });

  it('is one also when replicas that start at once are told of different ones', async () => {
    house = await AccountsFixture.start(OPERATOR, OTHER, OPERATOR, OTHER);
    expect(await operators()).toHaveLength(1);
    expect(await house.query('SELECT id FROM users')).toHaveLength(1);
    expect(await house.query('SELECT id FROM workspaces')).toHaveLength(1);
  });

  it('stays who they are, with the password they have, at every later start', async () => {
    house = await AccountsFixture.start(OPERATOR);
    await house.addReplica({ ...OPERATOR, password: 'changed in the settings' });
    await house.addReplica(OTHER);
    expect(await operators()).toEqual([{ email: 'owner@example.com' }]);
    await expect(house.logIn(OPERATOR.email, OPERATOR.password)).resolves.toHaveProperty('token');
    await expect(house.logIn(OPERATOR.email, 'changed in the settings')).rejects.toMatchObject({
      code: 'credentials_wrong',
    });
  });
});
