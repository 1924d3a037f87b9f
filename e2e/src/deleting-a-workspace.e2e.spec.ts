/** @jest-environment-options {"customExportConditions": ["postern-source", "node"]} */

import { expect, it } from '@jest/globals';
import type { AuditEntry, Page } from '@postern/contracts';
import { TestUser } from './access/test-user.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();

const newUser = (name: string) =>
  TestUser.create(world.postern.baseUrl, world.token, name, 'https://hooks.example.com/events');
const remove = (user: TestUser, id = user.workspaceId) => user.call('DELETE', `/dashboard/api/workspaces/${id}`);

it('An owner can delete an empty workspace; its keys and sessions are refused at once', async () => {
  const owner = await newUser('closing');
  const project = await owner.call('POST', '/dashboard/api/projects', { name: 'Shop' });
  const service = await owner.call('POST', '/dashboard/api/email-services', { name: 'Shop' });
  const key = await owner.call('POST', '/dashboard/api/platform-keys', { name: 'CI', scope: 'write' });
  const authorization = `Bearer ${String(key.json['key'])}`;
  const projects = () => world.call('GET', '/api/v1/projects', { headers: { authorization } });

  const refused = await remove(owner);
  expect([refused.status, refused.json['error']]).toEqual([
    409,
    'The workspace has 1 project and 1 email service; delete them first.',
  ]);
  expect((await projects()).status).toBe(200);

  await owner.call('DELETE', `/dashboard/api/projects/${String(project.json['id'])}`);
  await owner.call('DELETE', `/dashboard/api/email-services/${String(service.json['id'])}`);
  const deleted = await remove(owner);
  expect([deleted.status, deleted.json]).toEqual([200, { id: owner.workspaceId, deleted: true }]);
  expect((await projects()).status).toBe(401);
  expect((await owner.call('GET', '/dashboard/api/me')).status).toBe(401);

  const { body } = await world.callDashboardApi('GET', '/audit-log?action=workspace.deleted&limit=100');
  const entries = (body as unknown as Page<AuditEntry>).items.filter(
    ({ resource }) => resource.id === owner.workspaceId,
  );
  expect(entries.map(({ actor, outcome, code }) => ({ actor: actor.id, outcome, code }))).toEqual([
    { actor: owner.id, outcome: 'succeeded', code: null },
    { actor: owner.id, outcome: 'refused', code: 'workspace_not_empty' },
  ]);

  owner.token = await owner.newSession();
  const me = (await owner.call('GET', '/dashboard/api/me')).json;
  expect(me['workspaces']).toEqual([
    { ...(me['active_workspace'] as object), id: expect.not.stringMatching(owner.workspaceId) },
  ]);
});

it('Of an email service and the deletion of its workspace, requested concurrently, exactly one succeeds', async () => {
  const owner = await newUser('racing');
  const outcomes: unknown[] = [];
  for (let round = 0; round < 8; round++) {
    const { json } = await owner.call('POST', '/dashboard/api/workspaces', { name: `Round ${round}` });
    const id = String(json['id']);
    await owner.call('POST', '/dashboard/api/session/workspace', { workspace_id: id });
    const elsewhere = await owner.newSession();
    const [created, deleted] = await Promise.all([
      // In every second round, another call first delays this one, so that either may win.
      (round % 2 ? owner.call('GET', '/dashboard/api/me') : Promise.resolve()).then(() =>
        owner.call('POST', '/dashboard/api/email-services', { name: 'Shop' }),
      ),
      owner.call('DELETE', `/dashboard/api/workspaces/${id}`, undefined, { authorization: `Bearer ${elsewhere}` }),
    ]);
    outcomes.push([created.status === 201, deleted.status === 200]);
    owner.token = elsewhere;
  }
  for (const outcome of outcomes)
    expect([
      [true, false],
      [false, true],
    ]).toContainEqual(outcome);
});
