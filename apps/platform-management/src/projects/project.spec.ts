import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type ProjectEvent, project } from './project.js';

const given = specificationOf(project);
const at = '2026-01-01T00:00:00.000Z';

const created: ProjectEvent = {
  type: 'platform-management.project-created.v1',
  data: { project_id: 'p', user_id: 'ada', workspace_id: 'w', name: 'Shop', description: null, at },
};
const deleted: ProjectEvent = { type: 'platform-management.project-deleted.v1', data: { project_id: 'p', at } };

describe('a project', () => {
  it('is created with a name and an optional description, and belongs to its creator', () =>
    given()
      .when({ kind: 'create', projectId: 'p', userId: 'ada', workspaceId: 'w', name: 'Shop', description: null, at })
      .yields({
        type: 'platform-management.project-created.v1',
        data: { project_id: 'p', user_id: 'ada', workspace_id: 'w', name: 'Shop', description: null, at },
      }));

  it('records only the fields that differ', () => {
    given(created)
      .when({ kind: 'change', changes: { name: 'Shop', description: 'Everything' }, at })
      .yields({
        type: 'platform-management.project-changed.v1',
        data: { project_id: 'p', changes: { description: 'Everything' }, at },
      });
    given(created)
      .when({ kind: 'change', changes: { name: 'Shop', description: null }, at })
      .yields();
  });

  it('is deleted once, if it has no web services', () => {
    const remove = { kind: 'delete', webServices: 0, at } as const;
    given(created)
      .when({ ...remove, webServices: 2 })
      .refuses('project_not_empty', 'the project has 2 web services; delete them first');
    given(created).when(remove).yields(deleted);
    given(created, deleted).when(remove).refuses('project_not_found');
    given(created, deleted)
      .when({ kind: 'change', changes: { name: 'Store' }, at })
      .refuses('project_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/project'), project);
});
