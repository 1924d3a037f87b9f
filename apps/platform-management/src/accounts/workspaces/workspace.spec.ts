import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type WorkspaceCommand, type WorkspaceEvent, workspace } from './workspace.js';

const given = specificationOf(workspace);
const at = '2026-01-02T03:04:05.678Z';

const create: WorkspaceCommand = { kind: 'create', workspaceId: 'second', name: 'Second', createdBy: 'ada', at };
const created: WorkspaceEvent = {
  type: 'platform-management.workspace-created.v1',
  data: { workspace_id: 'second', name: 'Second', created_by: 'ada', at },
};

describe('a workspace', () => {
  it('is created by a user', () => given().when(create).yields(created));

  it('is created once', () => given(created).when(create).yields());

  it('can have a name in any script', () =>
    given()
      .when({ ...create, name: 'Büro 東京 🗼' })
      .yields({ ...created, data: { ...created.data, name: 'Büro 東京 🗼' } }));

  it('is renamed by an owner', () => {
    const rename: WorkspaceCommand = { kind: 'rename', name: 'Shop', actorId: 'ada', at };
    const data = { workspace_id: 'second', name: 'Shop', actor_id: 'ada', at };
    given(created).when(rename).yields({ type: 'platform-management.workspace-renamed.v1', data });
    given(created)
      .when({ ...rename, actorId: 'eve' })
      .refuses('workspace_not_found');
    const added = { ...data, user_id: 'bea', role: 'member' } as const;
    given(created, { type: 'platform-management.member-added.v1', data: added })
      .when({ ...rename, actorId: 'bea' })
      .refuses('role_insufficient');
    given().when(rename).refuses('workspace_not_found');
  });

  it('is deleted by an owner once it is empty, and refuses all commands afterwards', () => {
    const contents = { projects: 0, webServices: 0, databases: 0, emailServices: 0 };
    const remove: WorkspaceCommand = { kind: 'delete', contents, actorId: 'ada', at };
    const deleted: WorkspaceEvent = {
      type: 'platform-management.workspace-deleted.v1',
      data: { workspace_id: 'second', actor_id: 'ada', at },
    };
    const member = { workspace_id: 'second', user_id: 'bea', actor_id: 'ada', role: 'member', at } as const;
    given(created).when(remove).yields(deleted);
    given(created)
      .when({ ...remove, actorId: 'eve' })
      .refuses('workspace_not_found');
    given(created, { type: 'platform-management.member-added.v1', data: member })
      .when({ ...remove, actorId: 'bea' })
      .refuses('role_insufficient');
    given().when(remove).refuses('workspace_not_found');

    given(created, deleted).when(create).yields();
    const rename: WorkspaceCommand = { kind: 'rename', name: 'Shop', actorId: 'ada', at };
    const set: WorkspaceCommand = { kind: 'set-quotas', changes: { projects: 100 }, actorId: 'operator', at };
    const leave: WorkspaceCommand = { kind: 'remove-member', userId: 'ada', actorId: 'ada', at };
    const add: WorkspaceCommand = { kind: 'add-member', userId: 'bea', actorId: 'ada', role: 'owner', at };
    for (const command of [remove, rename, set, leave, add])
      given(created, deleted).when(command).refuses('workspace_not_found');
  });

  it.each([
    [{ projects: 1 }, '1 project; delete it first'],
    [{ databases: 2 }, '2 databases; delete them first'],
    [
      { projects: 1, webServices: 3, emailServices: 1 },
      '1 project, 3 web services and 1 email service; delete them first',
    ],
  ])('is not deleted while it has %j', (left, message) =>
    given(created)
      .when({
        kind: 'delete',
        contents: { projects: 0, webServices: 0, databases: 0, emailServices: 0, ...left },
        actorId: 'ada',
        at,
      })
      .refuses('workspace_not_empty', `the workspace has ${message}`),
  );

  it('has the quotas that an operator sets, and the defaults for all other quotas', () => {
    const set: WorkspaceCommand = { kind: 'set-quotas', changes: { projects: 100 }, actorId: 'operator', at };
    const changedTo = (limits: object): WorkspaceEvent => ({
      type: 'platform-management.workspace-quotas-changed.v1',
      data: { workspace_id: 'second', limits, actor_id: 'operator', at },
    });
    given(created)
      .when(set)
      .yields(changedTo({ projects: 100 }));
    given(created, changedTo({ projects: 100 }))
      .when(set)
      .yields();
    given(created, changedTo({ projects: 100, databases: 3 }))
      .when({ ...set, changes: { projects: null, webhooks: 5 } })
      .yields(changedTo({ databases: 3, webhooks: 5 }));
    given(created)
      .when({ ...set, changes: { projects: null } })
      .yields();
    given().when(set).refuses('workspace_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/workspace'), workspace);
});
