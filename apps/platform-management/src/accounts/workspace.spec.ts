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

  it('may be named in any script', () =>
    given()
      .when({ ...create, name: 'Büro 東京 🗼' })
      .yields({ ...created, data: { ...created.data, name: 'Büro 東京 🗼' } }));

  it.each(['a\0b', 'a\nb', 'a\ud800b'])('cannot have the name %j', name =>
    given()
      .when({ ...create, name })
      .refuses('invalid_input', 'name'),
  );

  it('has the quotas that an operator sets, and the defaults for all others', () => {
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
