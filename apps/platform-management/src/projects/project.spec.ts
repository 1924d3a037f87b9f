import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { project } from './project.js';

const given = specificationOf(project);
const at = '2026-01-01T00:00:00.000Z';

describe('a project', () => {
  it('is created with a name and an optional description, and belongs to its creator', () =>
    given()
      .when({ kind: 'create', projectId: 'p', userId: 'ada', workspaceId: 'w', name: 'Shop', description: null, at })
      .yields({
        type: 'platform-management.project-created.v1',
        data: { project_id: 'p', user_id: 'ada', workspace_id: 'w', name: 'Shop', description: null, at },
      }));

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/project'), project);
});
