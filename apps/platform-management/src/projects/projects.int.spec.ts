import { afterAll, describe, expect, it } from '@jest/globals';
import {
  changeProject,
  changeWebService,
  createWebService,
  deleteProject,
  deleteWebService,
  getProject,
  listProjects,
  setProjectSecret,
  setVariable,
} from '@postern/contracts';
import { codeOf } from '../testing/accounts-fixture.js';
import { ResourcesFixture, refusalOf } from '../testing/resources-fixture.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

const newService = (project_id: string) =>
  resources.request(createWebService, {
    ...resources.user,
    name: 'web',
    project_id,
    git_repository_url: 'https://git.example.com/web.git',
    port: 3000,
  });

describe('a project', () => {
  it('can be renamed, and its description removed', async () => {
    const project_id = await resources.newProject();
    const caller = { ...resources.user, project_id };
    expect(await resources.request(changeProject, { ...caller, name: 'Store', description: 'All' })).toMatchObject({
      id: project_id,
      name: 'Store',
      description: 'All',
    });
    await resources.request(changeProject, { ...caller, description: null });
    expect(await resources.request(getProject, caller)).toMatchObject({ name: 'Store', description: null });
    expect(await codeOf(resources.request(changeProject, { ...caller, ...resources.stranger }))).toBe(
      'project_not_found',
    );
  });

  it('is deleted with its secrets once it has no web services', async () => {
    const project_id = await resources.newProject();
    const caller = { ...resources.user, project_id };
    const secret = { ...caller, key: 'TOKEN', value: 'abc', scope: 'production' } as const;
    const { secret: stored } = await resources.request(setProjectSecret, secret);
    const { id: web_service_id } = await newService(project_id);
    const refusal = await refusalOf(resources.request(deleteProject, caller));
    expect(refusal).toMatchObject({
      code: 'project_not_empty',
      message: 'the project has a web service; delete it first',
    });
    await resources.request(deleteWebService, { ...resources.user, web_service_id });
    expect(await resources.request(deleteProject, caller)).toEqual({ id: project_id, deleted: true });
    expect(await codeOf(resources.request(getProject, caller))).toBe('project_not_found');
    expect(await codeOf(resources.request(deleteProject, caller))).toBe('project_not_found');
    expect((await resources.request(listProjects, resources.user)).map(({ id }) => id)).not.toContain(project_id);
    expect(await resources.fixture.query('SELECT id FROM sealed_values WHERE id = $1', [stored.id])).toEqual([]);
  });

  it('is not deleted while a web service is created in it', async () => {
    for (let round = 0; round < 5; round++) {
      const project_id = await resources.newProject();
      const [created, deleted] = await Promise.all([
        codeOf(newService(project_id)),
        codeOf(resources.request(deleteProject, { ...resources.user, project_id })),
      ]);
      expect([
        [undefined, 'project_not_empty'],
        ['project_not_found', undefined],
      ]).toContainEqual([created, deleted]);
    }
  });
});

describe('a deleted web service', () => {
  it('is found by no request, and stores no variable of a concurrent request', async () => {
    const { id: web_service_id } = await newService(await resources.newProject());
    const caller = { ...resources.user, web_service_id };
    const variable = (key: string) => resources.request(setVariable, { ...caller, key, value: 'abc' });
    await variable('FIRST');
    const racing = Array.from({ length: 5 }, (_, index) => variable(`KEY_${index}`).catch(() => undefined));
    await resources.request(deleteWebService, caller);
    await Promise.all(racing);
    expect(await codeOf(variable('LATE'))).toBe('web_service_not_found');
    expect(await codeOf(resources.request(changeWebService, { ...caller, port: 80 }))).toBe('web_service_not_found');
  });
});
