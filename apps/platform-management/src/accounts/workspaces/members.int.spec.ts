import { afterAll, describe, expect, it } from '@jest/globals';
import {
  addMember,
  admitPlatformCall,
  changeMemberRole,
  changeWorkspace,
  createPlatformKey,
  getMe,
  getMembership,
  leaveWorkspace,
  listMembers,
  listPlatformKeys,
  removeMember,
  revokePlatformKey,
  switchWorkspace,
  type WorkspaceRole,
} from '@postern/contracts';
import { AccountsFixture, codeOf, hashOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

const workspaceOf = (user: User): string => user.workspaces[0]?.id as string;
const add = (owner: User, user: User, role: WorkspaceRole) =>
  fixture.makeMember({ id: workspaceOf(owner), ownerId: owner.id }, user, role);
const remove = (owner: User, member: User, actor = owner) =>
  fixture.client.request(removeMember, { actor_id: actor.id, id: workspaceOf(owner), member_id: member.id });
/** Opens a session of `user` in the workspace of `owner`. */
const sessionIn = async (user: User, owner: User): Promise<string> => {
  const { token } = await fixture.logIn(user.email, user.password);
  const request = { token_hash: hashOf(token), workspace_id: workspaceOf(owner) };
  await fixture.client.request(switchWorkspace, request);
  return token;
};
const call = (
  key: string,
  required: 'read' | 'write',
  role: WorkspaceRole = required === 'read' ? 'viewer' : 'member',
) => {
  const request = { key_hash: hashOf(key), required, role };
  return codeOf(fixture.client.request(admitPlatformCall, request));
};

describe('a workspace', () => {
  it('has its creator as the owner', async () => {
    const owner = await fixture.newUser();
    expect(owner.workspaces).toMatchObject([{ role: 'owner' }]);
    expect(await fixture.client.request(listMembers, { actor_id: owner.id, id: workspaceOf(owner) })).toMatchObject([
      { id: owner.id, email: owner.email, role: 'owner' },
    ]);
  });

  it('has the users who accept an invitation of an owner, who can list it and switch to it', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(owner, user, 'viewer');
    const token = await sessionIn(user, owner);
    expect(await fixture.whoIs(token)).toMatchObject({ workspace_id: workspaceOf(owner), role: 'viewer' });
    const me = await fixture.client.request(getMe, { user_id: user.id, workspace_id: workspaceOf(owner) });
    expect(me.workspaces.map(({ role }) => role)).toEqual(['owner', 'viewer']);
    expect(me.active_workspace).toMatchObject({ id: workspaceOf(owner), role: 'viewer' });
  });

  it('is renamed by an owner for all members', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(owner, user, 'member');
    const id = workspaceOf(owner);
    const rename = (actor: User, name: string) =>
      fixture.client.request(changeWorkspace, { actor_id: actor.id, id, name });
    expect(await rename(owner, ' Shop ')).toEqual({ id, name: 'Shop' });
    const me = await fixture.client.request(getMe, { user_id: user.id, workspace_id: id });
    expect(me.active_workspace).toEqual({ id, name: 'Shop', role: 'member' });
    expect(await codeOf(rename(user, 'Mine'))).toBe('role_insufficient');
    expect(await codeOf(rename(await fixture.newUser(), 'Mine'))).toBe('workspace_not_found');
  });

  it('is not found by users who are not members', async () => {
    const [owner, stranger] = [await fixture.newUser(), await fixture.newUser()];
    const place = { id: workspaceOf(owner) };
    const requests = [
      fixture.client.request(getMembership, { ...place, user_id: stranger.id }),
      fixture.client.request(listMembers, { ...place, actor_id: stranger.id }),
      fixture.client.request(addMember, { ...place, actor_id: stranger.id, email: stranger.email, role: 'owner' }),
      remove(owner, owner, stranger),
    ];
    expect(await Promise.all(requests.map(codeOf))).toEqual(Array(4).fill('workspace_not_found'));
    const token_hash = hashOf((await fixture.logIn(stranger.email, stranger.password)).token);
    const request = { token_hash, workspace_id: place.id };
    expect(await codeOf(fixture.client.request(switchWorkspace, request))).toBe('workspace_not_found');
  });

  it('keeps an owner when two owners remove each other concurrently', async () => {
    const [first, second] = [await fixture.newUser(), await fixture.newUser()];
    await add(first, second, 'owner');
    const codes = await Promise.all([codeOf(remove(first, second, first)), codeOf(remove(first, first, second))]);
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
  });
});

describe('a change of role', () => {
  it('takes effect at the next request', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(owner, user, 'viewer');
    const token = await sessionIn(user, owner);
    const member = { actor_id: owner.id, id: workspaceOf(owner), member_id: user.id };
    await fixture.client.request(changeMemberRole, { ...member, role: 'owner' });
    expect(await fixture.whoIs(token)).toMatchObject({ role: 'owner' });
  });

  it('applies to platform keys: a viewer’s key can only read, and operations of owners require an owner’s key', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(owner, user, 'owner');
    const caller = { user_id: user.id, workspace_id: workspaceOf(owner) };
    const { key } = await fixture.client.request(createPlatformKey, { ...caller, name: 'CI', scope: 'write' });
    expect(await call(key, 'write', 'owner')).toBeUndefined();
    const member = { actor_id: owner.id, id: workspaceOf(owner), member_id: user.id };
    await fixture.client.request(changeMemberRole, { ...member, role: 'member' });
    expect([await call(key, 'write'), await call(key, 'write', 'owner')]).toEqual([undefined, 'operation_not_allowed']);
    await fixture.client.request(changeMemberRole, { ...member, role: 'viewer' });
    expect([await call(key, 'read'), await call(key, 'write')]).toEqual([undefined, 'insufficient_scope']);
  });
});

describe('a member who is removed', () => {
  it('loses all sessions and platform keys in the workspace, also when added again', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(owner, user, 'owner');
    const [inside, outside] = [await sessionIn(user, owner), await fixture.logIn(user.email, user.password)];
    const caller = { user_id: user.id, workspace_id: workspaceOf(owner) };
    const { id: key_id, key } = await fixture.client.request(createPlatformKey, {
      ...caller,
      name: 'CI',
      scope: 'read',
    });
    await remove(owner, user);
    expect(await codeOf(fixture.whoIs(inside))).toBe('session_invalid');
    expect(await call(key, 'read')).toBe('platform_key_invalid');
    expect(await fixture.whoIs(outside.token)).toMatchObject({ workspace_id: workspaceOf(user) });

    await add(owner, user, 'owner');
    expect(await codeOf(fixture.whoIs(inside))).toBe('session_invalid');
    expect(await call(key, 'read')).toBe('platform_key_invalid');
    const seen = { user_id: owner.id, workspace_id: workspaceOf(owner) };
    expect(await fixture.client.request(listPlatformKeys, seen)).toMatchObject([{ id: key_id }]);
    await fixture.client.request(revokePlatformKey, { ...seen, key_id });
    expect(await fixture.client.request(listPlatformKeys, seen)).toEqual([]);
  });

  it('can leave voluntarily, and gets a new workspace at the next login without any workspace', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    await add(user, owner, 'owner');
    await fixture.client.request(leaveWorkspace, { actor_id: user.id, id: workspaceOf(user) });
    const { token } = await fixture.logIn(user.email, user.password);
    const session = await fixture.whoIs(token);
    expect(session).toMatchObject({ role: 'owner' });
    expect(session.workspace_id).not.toBe(workspaceOf(user));
  });

  it('cannot leave as the last owner', async () => {
    const owner = await fixture.newUser();
    const leaving = fixture.client.request(leaveWorkspace, { actor_id: owner.id, id: workspaceOf(owner) });
    expect(await codeOf(leaving)).toBe('last_owner');
    expect(await fixture.query('SELECT role FROM memberships WHERE user_id = $1', [owner.id])).toEqual([
      { role: 'owner' },
    ]);
  });
});
