import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addMember,
  authenticateSession,
  createDatabase,
  createNotificationTarget,
  createPlatformKey,
  createProject,
  createWorkspace,
  deleteProject,
  deleteWorkspace,
  getMe,
  getWorkspaceQuotas,
  getWorkspaceState,
  listMembers,
  setWorkspaceQuotas,
  switchWorkspace,
} from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { codeOf, hashOf } from '../../testing/accounts-fixture.js';
import { Latch } from '../../testing/latch.js';
import { ResourcesFixture, refusalOf } from '../../testing/resources-fixture.js';
import { ServedEmailServices } from '../../testing/served-email-services.js';

let resources: ResourcesFixture;
let emailSend: ServedEmailServices;
let operator: string;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  emailSend = await ServedEmailServices.start(String(resources.fixture.environment['POSTERN_NATS_SERVERS']));
  operator = await resources.fixture.operatorId();
}, 120_000);
afterAll(async () => {
  await emailSend?.stop();
  await resources?.stop();
});
beforeEach(() => {
  emailSend.count = 0;
  emailSend.received.length = 0;
  emailSend.beforeReply = async () => undefined;
});

/** Creates a user who owns a workspace. */
const newOwner = async () => {
  const { id, email, password, workspaces } = await resources.fixture.newUser();
  return { user_id: id, workspace_id: String(workspaces[0]?.id), email, password };
};
type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Creates the maximum number of workspaces of a user. */
const newWorkspaces = async (): Promise<Owner[]> => {
  const owner = await newOwner();
  const { user_id } = owner;
  const owners = [owner];
  while (owners.length < 10) {
    const { id: workspace_id } = await resources.request(createWorkspace, { user_id, name: 'Another' });
    owners.push({ ...owner, workspace_id });
  }
  return owners;
};

const remove = ({ user_id, workspace_id }: Pick<Owner, 'user_id' | 'workspace_id'>) =>
  resources.request(deleteWorkspace, { actor_id: user_id, id: workspace_id });
const newProject = ({ user_id, workspace_id }: Owner) =>
  resources.request(createProject, { user_id, workspace_id, name: 'Shop' });
const newKey = ({ user_id, workspace_id }: Owner) =>
  resources.request(createPlatformKey, { user_id, workspace_id, name: 'CI', scope: 'read' });
const isDeleted = async ({ workspace_id }: Owner) =>
  (await resources.request(getWorkspaceState, { workspace_id })).deleted;

/** Returns all tables with a row that contains the text. */
const tablesWith = async (text: string): Promise<string[]> => {
  const tables = await resources.fixture.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('public', 'event_store') AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await resources.fixture.query(`SELECT 1 FROM ${name} AS r WHERE strpos(r::text, $1) > 0`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
};

describe('a workspace', () => {
  it('is deleted with its members, keys, sessions, invitations, quotas and notification targets', async () => {
    const owner = await newOwner();
    const { workspace_id: id, user_id: actor_id } = owner;
    const member = await newOwner();
    await resources.fixture.makeMember({ id, ownerId: actor_id }, { ...member, id: member.user_id }, 'member');
    await resources.request(addMember, { actor_id, id, email: `invited-${id}@example.com`, role: 'viewer' });
    await resources.request(setWorkspaceQuotas, { actor_id: operator, id, quotas: { projects: 7 } });
    const target = { workspace_id: id, kind: 'slack' as const, url: 'https://93.184.215.14/x' };
    await resources.request(createNotificationTarget, target);
    const { id: keyId, key } = await newKey(owner);
    await resources.call(key);
    const { token } = await resources.fixture.logIn(owner.email, owner.password);
    const theirs = await resources.fixture.logIn(member.email, member.password);
    await resources.request(switchWorkspace, { token_hash: hashOf(theirs.token), workspace_id: id });

    expect(await remove(owner)).toEqual({ id, deleted: true });

    const answers = await Promise.all(Array.from({ length: 8 }, () => codeOf(resources.call(key))));
    expect(new Set(answers)).toEqual(new Set(['platform_key_invalid']));
    for (const ended of [token, theirs.token])
      expect(await codeOf(resources.request(authenticateSession, { token_hash: hashOf(ended) }))).toBe(
        'session_invalid',
      );
    expect(await resources.request(listMembers, { actor_id, id }).catch(({ code }) => code)).toBe(
      'workspace_not_found',
    );
    expect(await codeOf(resources.request(getWorkspaceQuotas, { actor_id: operator, id }))).toBe('workspace_not_found');
    expect(await tablesWith(id)).toEqual(['event_store.events', 'public.invitations']);
    expect(await tablesWith(keyId)).toEqual(['event_store.events']);
    const open = 'SELECT 1 FROM invitations WHERE workspace_id = $1 AND ended_at IS NULL';
    expect(await resources.fixture.query(open, [id])).toEqual([]);
    const me = await resources.request(getMe, { user_id: member.user_id, workspace_id: member.workspace_id });
    expect(me.workspaces.map(workspace => workspace.id)).toEqual([member.workspace_id]);
  });

  it('is deleted only by its owners, and only once', async () => {
    const owner = await newOwner();
    const { workspace_id, user_id: actor_id } = owner;
    const member = await newOwner();
    const own = { id: workspace_id, ownerId: actor_id };
    await resources.fixture.makeMember(own, { ...member, id: member.user_id }, 'member');
    expect(await codeOf(remove({ user_id: member.user_id, workspace_id }))).toBe('role_insufficient');
    for (const user_id of [resources.stranger.user_id, operator])
      expect(await codeOf(remove({ user_id, workspace_id }))).toBe('workspace_not_found');
    expect(await codeOf(remove({ user_id: actor_id, workspace_id: uuidv7() }))).toBe('workspace_not_found');
    expect(emailSend.received).toEqual([]);
    await remove(owner);
    expect(await codeOf(remove(owner))).toBe('workspace_not_found');
  });

  it('that is not empty is kept, and the refusal names its contents', async () => {
    const owner = await newOwner();
    const { id: project_id } = await newProject(owner);
    emailSend.count = 2;
    expect(await refusalOf(remove(owner))).toMatchObject({
      code: 'workspace_not_empty',
      message: 'the workspace has 1 project and 2 email services; delete them first',
    });
    expect(emailSend.received).toEqual([{ workspace_id: owner.workspace_id }]);
    await resources.request(deleteProject, { ...owner, project_id });
    expect(await refusalOf(remove(owner))).toMatchObject({
      message: 'the workspace has 2 email services; delete them first',
    });
    emailSend.count = 0;
    expect(await codeOf(remove(owner))).toBeUndefined();
  });

  it('is kept if email-send does not respond, and can be deleted later', async () => {
    const owner = await newOwner();
    const answer = new Latch();
    emailSend.beforeReply = answer.wait;
    await expect(remove(owner)).rejects.toBeInstanceOf(ServiceUnavailable);
    answer.open();
    expect(await isDeleted(owner)).toBe(false);
    expect(await codeOf(newKey(owner))).toBeUndefined();
    emailSend.beforeReply = async () => undefined;
    expect(await codeOf(remove(owner))).toBeUndefined();
    const closings = emailSend.received.map(({ closing_id }) => closing_id);
    expect(new Set(closings).size).toBe(2);
  }, 30_000);

  it('reports its state to email-send only after the deletion has ended', async () => {
    const owner = await newOwner();
    const answer = new Latch();
    emailSend.beforeReply = answer.wait;
    const deletion = remove(owner);
    await answer.reached;
    const state = isDeleted(owner);
    answer.open();
    await deletion;
    expect(await state).toBe(true);
  });
});

describe('in a deleted workspace', () => {
  it('creations are refused', async () => {
    const owner = await newOwner();
    const { workspace_id, user_id } = owner;
    await remove(owner);
    const database = { workspace_id, name: 'Orders', kind: 'relational', plan: 'starter' } as const;
    const member = { actor_id: user_id, id: workspace_id, email: 'eve@example.com', role: 'owner' } as const;
    const creations = [newProject(owner), newKey(owner), resources.request(createDatabase, database)];
    const codes = await Promise.all([...creations, resources.request(addMember, member)].map(codeOf));
    expect(new Set(codes)).toEqual(new Set(['workspace_not_found']));
  });

  it('nothing remains from a creation during the deletion', async () => {
    for (const owner of await newWorkspaces()) {
      const [project, deletion] = await Promise.all([codeOf(newProject(owner)), codeOf(remove(owner))]);
      expect([
        [undefined, 'workspace_not_empty'],
        ['workspace_not_found', undefined],
      ]).toContainEqual([project, deletion]);
      expect(await isDeleted(owner)).toBe(deletion === undefined);
    }
  }, 60_000);

  it('a key that was created during the deletion does not work', async () => {
    for (const owner of await newWorkspaces()) {
      const [created] = await Promise.all([newKey(owner).catch(() => undefined), remove(owner)]);
      if (created) expect(await codeOf(resources.call(created.key))).toBe('platform_key_invalid');
      expect(
        await resources.fixture.query('SELECT 1 FROM platform_keys WHERE workspace_id = $1', [owner.workspace_id]),
      ).toEqual([]);
    }
  }, 60_000);
});

describe('a user', () => {
  it('who has deleted the last workspace gets a new one at the next login', async () => {
    const owner = await newOwner();
    await remove(owner);
    const { token } = await resources.fixture.logIn(owner.email, owner.password);
    const { workspace_id } = await resources.fixture.whoIs(token);
    expect(workspace_id).not.toBe(owner.workspace_id);
    expect(await codeOf(newProject({ ...owner, workspace_id }))).toBeUndefined();
  });

  it('cannot create a workspace in place of a deleted one within a day', async () => {
    const [owner] = await newWorkspaces();
    await remove(owner!);
    const another = resources.request(createWorkspace, { user_id: owner!.user_id, name: 'Another' });
    expect(await codeOf(another)).toBe('quota_reached');
  });

  it('who was removed from ten own workspaces can still log in', async () => {
    const [owner] = await newWorkspaces();
    await resources.fixture.query('DELETE FROM memberships WHERE user_id = $1', [owner!.user_id]);
    expect(await codeOf(resources.fixture.logIn(owner!.email, owner!.password))).toBeUndefined();
  });
});
