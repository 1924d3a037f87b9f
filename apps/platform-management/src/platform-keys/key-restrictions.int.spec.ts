import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  createPlatformKey,
  createProject,
  getDatabase,
  listDatabases,
  listPlatformKeys,
  type PlatformOperation,
  type RequestInput,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { codeOf } from '../testing/accounts-fixture.js';
import { ResourcesFixture, refusalOf } from '../testing/resources-fixture.js';

let resources: ResourcesFixture;
let project: string;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  project = await resources.newProject();
}, 120_000);
afterAll(() => resources?.stop());

const newKey = (overrides: Partial<RequestInput<typeof createPlatformKey>>) =>
  resources.request(createPlatformKey, { ...resources.user, name: 'CI', scope: 'write', ...overrides });
const call = (key: string, operation?: PlatformOperation | 'own-key', required: 'read' | 'write' = 'read') => {
  const key_hash = createHash('sha256').update(key).digest('hex');
  return resources.request(admitPlatformCall, {
    key_hash,
    required,
    operation,
    role: required === 'read' ? 'viewer' : 'member',
  });
};

describe('a platform key restricted to operations', () => {
  it('allows these operations, with write including read, and no others', async () => {
    const { key } = await newKey({ operations: ['deployments:write', 'web-services:read'] });
    const allowed = ['deployments:write', 'deployments:read', 'web-services:read', 'own-key'] as const;
    for (const operation of allowed) expect(await codeOf(call(key, operation))).toBeUndefined();
    for (const operation of ['web-services:write', 'projects:read', 'databases:read'] as const)
      expect(await refusalOf(call(key, operation))).toMatchObject({
        code: 'operation_not_allowed',
        details: { required: operation },
      });
  });

  it('is still limited by its scope, and cannot be created with operations beyond it', async () => {
    const { key } = await newKey({ scope: 'read', operations: ['deployments:read'] });
    expect(await codeOf(call(key, 'deployments:write', 'write'))).toBe('insufficient_scope');
    expect(await codeOf(newKey({ scope: 'read', operations: ['deployments:write'] }))).toBe('invalid_input');
  });
});

describe('a platform key restricted to projects', () => {
  it('adds its projects to every call', async () => {
    const { key } = await newKey({ projects: [project] });
    expect((await call(key, 'projects:read')).caller.project_ids).toEqual([project]);
    const { key: free } = await newKey({});
    expect((await call(free, 'projects:read')).caller).not.toHaveProperty('project_ids');
  });

  it('cannot contain projects of other workspaces', async () =>
    expect(await codeOf(newKey({ projects: [project, uuidv7()] }))).toBe('project_not_found'));

  it('cannot create a project or access a database', async () => {
    const caller = { ...resources.user, project_ids: [project] };
    expect(await codeOf(resources.request(createProject, { ...caller, name: 'Other' }))).toBe('operation_not_allowed');
    expect(await resources.request(listDatabases, caller)).toMatchObject({ items: [], total: 0 });
    expect(await codeOf(resources.request(getDatabase, { ...caller, database_id: uuidv7() }))).toBe(
      'database_not_found',
    );
  });
});

describe('what a platform key may do', () => {
  it('is reported with its restrictions', async () => {
    const operations: PlatformOperation[] = ['deployments:write'];
    const { key } = await newKey({ projects: [project], operations });
    expect((await call(key, 'own-key')).caller.key).toMatchObject({ scope: 'write', projects: [project], operations });
    const { key: free } = await newKey({});
    const reported = (await call(free, 'own-key')).caller.key;
    expect([reported.scope, 'projects' in reported, 'operations' in reported]).toEqual(['write', false, false]);
  });

  it('is only read while its user is a viewer, with the structured refusal of a read-only key', async () => {
    const { key } = await newKey({});
    const role = (name: string) =>
      resources.fixture.query('UPDATE memberships SET role = $2 WHERE user_id = $1', [resources.user.user_id, name]);
    await role('viewer');
    try {
      expect((await call(key, 'own-key')).caller.key.scope).toBe('read');
      expect(await refusalOf(call(key, 'projects:write', 'write'))).toMatchObject({
        code: 'insufficient_scope',
        details: { required: 'write', actual: 'read' },
      });
    } finally {
      await role('owner');
    }
    expect((await call(key, 'own-key')).caller.key.scope).toBe('write');
  });
});

describe('a restricted platform key', () => {
  it('with projects changes no database, because databases belong to the workspace', async () => {
    const { key } = await newKey({ projects: [project] });
    expect(await codeOf(call(key, 'databases:read'))).toBeUndefined();
    expect(await refusalOf(call(key, 'databases:write', 'write'))).toMatchObject({
      code: 'operation_not_allowed',
      details: { required: 'databases:write' },
    });
    const { key: free } = await newKey({ operations: ['databases:write'] });
    expect(await codeOf(call(free, 'databases:write', 'write'))).toBeUndefined();
  });

  it('is invalid for a route without an operation', async () => {
    for (const overrides of [{ projects: [project] }, { operations: ['deployments:write' as const] }]) {
      const { key } = await newKey(overrides);
      expect(await codeOf(call(key))).toBe('platform_key_invalid');
    }
    const { key } = await newKey({});
    expect(await codeOf(call(key))).toBeUndefined();
  });

  it('lists its restrictions', async () => {
    const { id, projects, operations } = await newKey({ projects: [project], operations: ['deployments:write'] });
    const { id: free } = await newKey({});
    const listed = await resources.request(listPlatformKeys, resources.user);
    expect(listed.find(key => key.id === id)).toMatchObject({ projects, operations });
    expect([projects, operations]).toEqual([[project], ['deployments:write']]);
    expect(listed.find(key => key.id === free)).toMatchObject({ projects: null, operations: null });
  });
});
