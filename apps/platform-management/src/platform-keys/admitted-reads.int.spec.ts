import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admitPlatformCall, createPlatformKey, type ReplyOf, type RequestInput } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { codeOf } from '../testing/accounts-fixture.js';
import { ResourcesFixture } from '../testing/resources-fixture.js';

let resources: ResourcesFixture;
let project: string;
let key: string;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  project = await resources.newProject();
  ({ key } = await resources.newKey('read'));
}, 120_000);
afterAll(() => resources?.stop());

type Call = RequestInput<typeof admitPlatformCall>;

const call = (caller: string, read: Call['read'], overrides: Partial<Call> = {}) => {
  const key_hash = createHash('sha256').update(caller).digest('hex');
  return resources.request(admitPlatformCall, { key_hash, required: 'read', role: 'viewer', read, ...overrides });
};
const readOf = async (caller: string, name: string, request: Record<string, unknown> = {}) =>
  (await call(caller, { name, request }, { operation: 'projects:read' })).read;
const refused = (code: string) => ({ refusal: { code, message: expect.any(String), details: {}, status: 404 } });

const keyOf = async (owner: { readonly user_id: string; readonly workspace_id: string }, overrides = {}) =>
  (await resources.request(createPlatformKey, { ...owner, name: 'CI', scope: 'read', ...overrides })).key;

const newStranger = async () => {
  const { id, workspaces } = await resources.fixture.newUser();
  return { user_id: id, workspace_id: String(workspaces[0]?.id) };
};

describe('an admitted call', () => {
  it('returns the reply of its read request, and is counted once', async () => {
    const before = (await call(key, undefined)).rate_limit;
    const answer: ReplyOf<typeof admitPlatformCall> = await call(key, { name: 'list-projects', request: {} });
    expect(answer.read).toEqual({ ok: [expect.objectContaining({ id: project, name: 'Shop' })] });
    expect(answer.rate_limit?.remaining).toBe(Number(before?.remaining) - 1);
  });

  it('returns the refusal of its read request', async () =>
    expect(await readOf(key, 'get-project', { project_id: uuidv7() })).toEqual(refused('project_not_found')));

  it('reads as its own caller, whatever caller the request contains', async () => {
    const stranger = await newStranger();
    const strangers = await keyOf(stranger);
    expect(await readOf(strangers, 'get-project', { project_id: project })).toEqual(refused('project_not_found'));
    for (const fields of [{ workspace_id: resources.user.workspace_id }, { user_id: resources.user.user_id }]) {
      expect(await readOf(strangers, 'list-projects', fields)).toEqual({ ok: [] });
    }
  });

  it('reads only the projects that its key is restricted to', async () => {
    const other = await resources.newProject('Other');
    const restricted = await keyOf(resources.user, { projects: [other] });
    expect(await readOf(restricted, 'list-projects', { project_ids: [project] })).toEqual({
      ok: [expect.objectContaining({ id: other })],
    });
    expect(await readOf(restricted, 'get-project', { project_id: project })).toEqual(refused('project_not_found'));
  });

  it.each([
    ['does not know', 'list-everything', {}],
    ['answers only by itself', 'get-logs', { web_service_id: uuidv7(), tail: 10 }],
    ['answers only to sessions', 'list-platform-keys', {}],
    ['cannot read', 'get-project', { project_id: '17' }],
  ])('has no reply to a read if it is one that platform-management %s', async (_what, name, request) =>
    expect(await readOf(key, name, request)).toBeUndefined(),
  );
});

describe('a refused call', () => {
  it('reads nothing', async () => {
    const read = { name: 'list-projects', request: {} };
    expect(await codeOf(call('ak_live_unknown', read))).toBe('platform_key_invalid');
    expect(await codeOf(call(key, read, { required: 'write' }))).toBe('insufficient_scope');
    const restricted = await keyOf(resources.user, { operations: ['deployments:read'] });
    expect(await codeOf(call(restricted, read, { operation: 'projects:read' }))).toBe('operation_not_allowed');
  });
});
