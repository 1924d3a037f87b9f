import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  createPlatformKey,
  createProject,
  createWebService,
  createWorkspace,
  getWorkspaceQuotas,
  listPlatformKeys,
  listProjects,
  type QuotaChanges,
  revokePlatformKey,
  setWorkspaceQuotas,
} from '@postern/contracts';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { codeOf, hashOf } from '../../testing/accounts-fixture.js';
import { ResourcesFixture, refusalOf } from '../../testing/resources-fixture.js';

let resources: ResourcesFixture;
let operator: string;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  operator = await resources.fixture.operatorId();
}, 120_000);
afterAll(() => resources?.stop());

/** A new user with another workspace. */
const newOwner = async () => {
  const { id, email, password, workspaces } = await resources.fixture.newUser();
  return { user_id: id, workspace_id: String(workspaces[0]?.id), email, password };
};
type Owner = Awaited<ReturnType<typeof newOwner>>;

const allow = (owner: Owner, quotas: QuotaChanges) =>
  resources.request(setWorkspaceQuotas, { actor_id: operator, id: owner.workspace_id, quotas });
const quotasOf = ({ user_id, workspace_id }: Owner) =>
  resources.request(getWorkspaceQuotas, { actor_id: user_id, id: workspace_id });
const newKey = ({ user_id, workspace_id }: Owner) =>
  resources.request(createPlatformKey, { user_id, workspace_id, name: 'CI', scope: 'write' });
const newProject = ({ user_id, workspace_id }: Owner) =>
  resources.request(createProject, { user_id, workspace_id, name: 'Shop' });
const newService = ({ user_id, workspace_id }: Owner, project_id: string, instances = 1) =>
  resources.request(createWebService, {
    user_id,
    workspace_id,
    project_id,
    name: 'web',
    git_repository_url: 'https://example.com/web.git',
    port: 3000,
    min_instances: instances,
    max_instances: instances,
  });

describe('a workspace with the default quotas', () => {
  it('shows the default limits and its usage', async () => {
    const owner = await newOwner();
    await newProject(owner);
    expect(await quotasOf(owner)).toEqual({
      email_services: { used: null, limit: 20, default_limit: 20 },
      api_keys: { used: null, limit: 50, default_limit: 50 },
      webhooks: { used: null, limit: 20, default_limit: 20 },
      platform_keys: { used: 0, limit: 200, default_limit: 200 },
      projects: { used: 1, limit: 50, default_limit: 50 },
      web_services: { used: 0, limit: 50, default_limit: 50 },
      instances: { used: 0, limit: 100, default_limit: 100 },
      databases: { used: 0, limit: 20, default_limit: 20 },
      database_creations: { used: 0, limit: 50, default_limit: 50 },
      memory_mib: { used: 0, limit: 65_536, default_limit: 65_536 },
      disk_mib: { used: 0, limit: 262_144, default_limit: 262_144 },
      custom_domains: { used: 0, limit: 100, default_limit: 100 },
    });
  });

  it('has at most 50 projects, even with concurrent creations', async () => {
    const owner = await newOwner();
    const codes = await Promise.all(Array.from({ length: 60 }, () => codeOf(newProject(owner))));
    expect(codes.filter(code => code === undefined)).toHaveLength(50);
    expect(codes.filter(code => code === 'quota_reached')).toHaveLength(10);
    expect(await resources.request(listProjects, owner)).toHaveLength(50);
    expect(await refusalOf(newProject(owner))).toMatchObject({
      message: expect.stringContaining('at most 50 projects per workspace (quota projects)'),
      details: { quota: 'projects', limit: 50 },
    });
  }, 60_000);

  it('has at most 100 instances: the sixth web service with 20 instances is refused', async () => {
    const owner = await newOwner();
    const project = await newProject(owner);
    for (let n = 0; n < 5; n++) await newService(owner, project.id, 20);
    expect(await refusalOf(newService(owner, project.id, 20))).toMatchObject({ details: { quota: 'instances' } });
    expect((await quotasOf(owner)).instances).toMatchObject({ used: 100 });
  });
});

describe('a user', () => {
  it('has at most 10 workspaces, even with concurrent creations', async () => {
    const { user_id } = await newOwner();
    const create = () => resources.request(createWorkspace, { user_id, name: 'Another' });
    const codes = await Promise.all(Array.from({ length: 60 }, () => codeOf(create())));
    expect(codes.filter(code => code === undefined)).toHaveLength(9);
    expect(codes.filter(code => code === 'quota_reached')).toHaveLength(51);
    expect((await refusalOf(create())).message).toContain('at most 10 workspaces per user (quota workspaces)');
  });
});

describe('a quota', () => {
  it(
    'is never exceeded by concurrent creations and deletions over two replicas',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 4 }),
          fc.array(fc.constantFrom('create', 'revoke'), { minLength: 4, maxLength: 12 }),
          async (limit, steps) => {
            const owner = await newOwner();
            await allow(owner, { platform_keys: limit });
            const codes = await Promise.all(
              steps.map(async step => {
                if (step === 'create') return codeOf(newKey(owner));
                const [key] = await resources.request(listPlatformKeys, owner);
                return key && codeOf(resources.request(revokePlatformKey, { ...owner, key_id: key.id }));
              }),
            );
            expect(new Set([undefined, 'quota_reached', 'platform_key_not_found'])).toEqual(
              new Set([undefined, 'quota_reached', 'platform_key_not_found', ...codes]),
            );
            const { length } = await resources.request(listPlatformKeys, owner);
            expect(length).toBeLessThanOrEqual(limit);
            if (!steps.includes('revoke')) expect(length).toBe(Math.min(limit, steps.length));
          },
        ),
        { numRuns: 12 },
      ),
    60_000,
  );

  it('can be used again after a deletion', async () => {
    const owner = await newOwner();
    await allow(owner, { platform_keys: 1 });
    const { id: key_id } = await newKey(owner);
    expect(await codeOf(newKey(owner))).toBe('quota_reached');
    await resources.request(revokePlatformKey, { ...owner, key_id });
    expect(await codeOf(newKey(owner))).toBeUndefined();
  });

  it('below the usage keeps existing resources and refuses new ones; null returns to the default', async () => {
    const owner = await newOwner();
    await newProject(owner);
    await newProject(owner);
    expect((await allow(owner, { projects: 1 })).projects).toEqual({ used: 2, limit: 1, default_limit: 50 });
    expect(await codeOf(newProject(owner))).toBe('quota_reached');
    expect(await resources.request(listProjects, owner)).toHaveLength(2);
    expect((await allow(owner, { projects: null })).projects.limit).toBe(50);
    expect(await codeOf(newProject(owner))).toBeUndefined();
  });

  it('is set by operators only, and visible to members and operators', async () => {
    const owner = await newOwner();
    const { stranger } = resources;
    const id = owner.workspace_id;
    const change = { id, quotas: { projects: 1000 } };
    expect(await codeOf(resources.request(setWorkspaceQuotas, { ...change, actor_id: owner.user_id }))).toBe(
      'not_an_operator',
    );
    expect(await codeOf(resources.request(getWorkspaceQuotas, { actor_id: stranger.user_id, id }))).toBe(
      'workspace_not_found',
    );
    expect(await codeOf(resources.request(getWorkspaceQuotas, { actor_id: operator, id }))).toBeUndefined();
    for (const contract of [getWorkspaceQuotas, setWorkspaceQuotas] as const)
      expect(
        await codeOf(resources.request(contract, { actor_id: operator, id: uuidv7(), quotas: { projects: 1 } })),
      ).toBe('workspace_not_found');
  });

  it('of the email services is included in every session of the workspace', async () => {
    const owner = await newOwner();
    const { token } = await resources.fixture.logIn(owner.email, owner.password);
    const quotas = async () => (await resources.request(authenticateSession, { token_hash: hashOf(token) })).quotas;
    expect(await quotas()).toEqual({});
    await allow(owner, { email_services: 3, webhooks: 1 });
    await allow(owner, { webhooks: null });
    expect(await quotas()).toEqual({ email_services: 3 });
  });
});
