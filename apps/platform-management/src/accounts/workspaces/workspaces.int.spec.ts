import { afterAll, describe, expect, it } from '@jest/globals';
import { createWorkspace, findWorkspaces, getMe } from '@postern/contracts';
import { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, codeOf, OPERATOR } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR, OPERATOR);
afterAll(() => fixture.stop());

describe('a workspace', () => {
  it('is created by an existing user', () =>
    expect(codeOf(fixture.client.request(createWorkspace, { user_id: uuidv7(), name: 'Nobody’s' }))).resolves.toBe(
      'user_not_found',
    ));

  it('is created for more concurrent requests than the database has connections', async () => {
    const users = await Promise.all(Array.from({ length: 7 }, () => fixture.newUser()));
    const made = await Promise.all(
      users.flatMap(({ id: user_id }) =>
        Array.from({ length: 9 }, (_, n) =>
          fixture.client.request(createWorkspace, { user_id, name: `Workspace ${n}` }, { deadlineMs: 20_000 }),
        ),
      ),
    );
    const { id: user_id, workspaces: first } = users[0]!;
    const { workspaces } = await fixture.client.request(getMe, { user_id, workspace_id: first[0]!.id });
    expect(workspaces.slice(1)).toHaveLength(9);
    expect(workspaces).toEqual(
      expect.arrayContaining(made.slice(0, 9).map(workspace => ({ ...workspace, role: 'owner' }))),
    );
  });
});

describe('the search of operators', () => {
  it('finds workspaces by name, member and id, newest first, with their owners', async () => {
    const actor_id = await fixture.operatorId();
    const user = await fixture.newUser();
    const name = `Search ${user.id}`;
    const created = await fixture.client.request(createWorkspace, { user_id: user.id, name });
    const find = (search: string) => fixture.client.request(findWorkspaces, { actor_id, search });
    const found = { id: created.id, name, owners: [user.email], created_at: expect.any(String) };
    for (const search of [name.toLowerCase(), created.id])
      expect(await find(search)).toMatchObject({ total: 1, items: [found] });
    for (const search of [user.email, user.id])
      expect(await find(search)).toMatchObject({ total: 2, items: [found, { id: user.workspaces[0]!.id }] });
    expect(await codeOf(fixture.client.request(findWorkspaces, { actor_id: user.id }))).toBe('not_an_operator');
  });
});

it('the read model of accounts can be rebuilt from the events', async () => {
  const rows = () =>
    fixture.query(
      `SELECT * FROM users u JOIN memberships m ON m.user_id = u.id JOIN workspaces w ON w.id = m.workspace_id
       ORDER BY m.user_id, m.workspace_id`,
    );
  const before = await rows();
  expect(before.length).toBeGreaterThan(60);
  await fixture.replicas[0]?.app.get(ProjectionRunner, { strict: false }).rebuild('accounts');
  expect(await rows()).toEqual(before);
});
