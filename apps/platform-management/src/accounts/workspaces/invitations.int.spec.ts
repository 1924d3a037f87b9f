import { afterAll, describe, expect, it } from '@jest/globals';
import {
  acceptInvitation,
  addMember,
  createWorkspace,
  declineInvitation,
  issueInvitationToken,
  joinWorkspace,
  listInvitations,
  listMembers,
  removeMember,
  setUserEnabled,
  type WorkspaceRole,
} from '@postern/contracts';
import { AccountsFixture, codeOf, OPERATOR, type User } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

const PASSWORD = 'four unrelated words here';
const workspaceOf = (user: User): string => user.workspaces[0]?.id as string;
let strangers = 0;
const stranger = () => `stranger-${++strangers}@example.org`;
const invite = (owner: User, email: string, role: WorkspaceRole = 'member') =>
  fixture.client.request(addMember, { actor_id: owner.id, id: workspaceOf(owner), email, role });
const tokenOf = async (invitation_id: string) =>
  (await fixture.client.request(issueInvitationToken, { invitation_id })).mail;
const accept = (token: string, password = PASSWORD) => fixture.client.request(acceptInvitation, { token, password });
const join = (user: User, id: string) => fixture.client.request(joinWorkspace, { user_id: user.id, id });
const invitationsTo = (user: User) => fixture.client.request(listInvitations, { user_id: user.id });
const listOf = (owner: User) => fixture.client.request(listMembers, { actor_id: owner.id, id: workspaceOf(owner) });

describe('an address without a user', () => {
  it('is invited by mail, and becomes a user with the chosen password and the role of the invitation', async () => {
    const owner = await fixture.newUser();
    const email = stranger();
    const invitation = await invite(owner, email.toUpperCase(), 'viewer');
    expect(invitation).toMatchObject({ email, role: 'viewer', status: 'invited', joined_at: null });
    expect(Date.parse(invitation.expires_at as string) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(await listOf(owner)).toMatchObject([{ id: owner.id, status: 'active' }, invitation]);

    const mail = await tokenOf(invitation.id);
    expect(mail).toMatchObject({
      email,
      workspace_name: owner.workspaces[0]?.name,
      invited_by: owner.email,
      role: 'viewer',
    });
    expect(await accept(mail?.token as string)).toEqual({ email });
    const { token } = await fixture.logIn(email, PASSWORD);
    expect(token).toBeDefined();
    expect(await listOf(owner)).toMatchObject([{}, { email, role: 'viewer', status: 'active' }]);
  });

  it('is in no event, and only the hash of the token is stored', async () => {
    const owner = await fixture.newUser();
    const email = stranger();
    const { id } = await invite(owner, email);
    const mail = await tokenOf(id);
    const events = await fixture.query('SELECT data FROM event_store.events');
    const rows = await fixture.query('SELECT * FROM invitations');
    expect(JSON.stringify(events)).toContain(id);
    expect(JSON.stringify(events)).not.toContain(email);
    expect(JSON.stringify([events, rows])).not.toContain(mail?.token);
  });

  it('has one pending invitation per workspace and at most five per day, and a workspace sends at most twenty per day', async () => {
    const owner = await fixture.newUser();
    const email = stranger();
    const { id } = await invite(owner, email);
    expect(await codeOf(invite(owner, email))).toBe('member_exists');
    await fixture.client.request(removeMember, { actor_id: owner.id, id: workspaceOf(owner), member_id: id });
    for (let n = 0; n < 4; n++) {
      const again = await fixture.newUser();
      await invite(again, email);
    }
    expect(await codeOf(invite(owner, email))).toBe('quota_reached');
    for (let n = 1; n < 20; n++) await invite(owner, stranger());
    expect(await codeOf(invite(owner, stranger()))).toBe('quota_reached');
  });
});

describe('a user who is invited', () => {
  it('gets the same answer as an address without a user, and is no member before accepting', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    const [toUser, toStranger] = [await invite(owner, user.email.toUpperCase()), await invite(owner, stranger())];
    const shape = (member: typeof toUser) => ({ ...member, id: '', email: '', expires_at: '' });
    expect(shape(toUser)).toEqual(shape(toStranger));
    expect(toUser).toMatchObject({ email: user.email, status: 'invited' });
    expect(await listOf(owner)).toMatchObject([{ id: owner.id }, { status: 'invited' }, { status: 'invited' }]);
    expect(await codeOf(fixture.client.request(listMembers, { actor_id: user.id, id: workspaceOf(owner) }))).toBe(
      'workspace_not_found',
    );
    expect(await tokenOf(toUser.id)).toMatchObject({ email: user.email, has_account: true });
    expect(await tokenOf(toStranger.id)).toMatchObject({ has_account: false });
  });

  it('sees it and becomes a member with its role by accepting it, once', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    const { id, expires_at } = await invite(owner, user.email, 'viewer');
    const workspace_name = owner.workspaces[0]?.name;
    expect(await invitationsTo(user)).toEqual([
      { id, workspace_name, role: 'viewer', invited_by: owner.email, created_at: expect.any(String), expires_at },
    ]);
    const answers = await Promise.all(Array.from({ length: 4 }, () => join(user, id).catch(({ code }) => code)));
    const joined = { id: workspaceOf(owner), name: workspace_name, role: 'viewer' };
    expect(answers.filter(answer => typeof answer === 'object')).toEqual([joined]);
    expect(answers.filter(answer => typeof answer === 'string')).toEqual(Array(3).fill('invitation_not_found'));
    expect(await listOf(owner)).toMatchObject([{ id: owner.id }, { id: user.id, role: 'viewer', status: 'active' }]);
    expect(await invitationsTo(user)).toEqual([]);
    expect(await codeOf(invite(owner, user.email))).toBe('member_exists');
  });

  it('can decline it', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    const { id } = await invite(owner, user.email);
    await fixture.client.request(declineInvitation, { user_id: user.id, id });
    expect(await codeOf(join(user, id))).toBe('invitation_not_found');
    expect(await invitationsTo(user)).toEqual([]);
    expect(await listOf(owner)).toHaveLength(1);
  });

  it('is the only user who can accept or decline it', async () => {
    const [owner, user, other] = [await fixture.newUser(), await fixture.newUser(), await fixture.newUser()];
    const { id } = await invite(owner, user.email);
    expect(await codeOf(join(other, id))).toBe('invitation_not_found');
    expect(await codeOf(fixture.client.request(declineInvitation, { user_id: other.id, id }))).toBe(
      'invitation_not_found',
    );
    expect(await codeOf(join(user, id))).toBeUndefined();
  });

  it.each<[string, (owner: User, invitation: string) => Promise<unknown>]>([
    [
      'is revoked',
      (owner, member_id) =>
        fixture.client.request(removeMember, { actor_id: owner.id, id: workspaceOf(owner), member_id }),
    ],
    ['has expired', (_, id) => fixture.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [id])],
    [
      'comes from a user who was disabled',
      async owner =>
        fixture.client.request(setUserEnabled, {
          actor_id: await fixture.operatorId(),
          id: owner.id,
          enabled: false,
        }),
    ],
  ])('neither sees nor accepts one that %s, and no mail about it is sent', async (_, end) => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    const { id } = await invite(owner, user.email);
    await end(owner, id);
    expect(await invitationsTo(user)).toEqual([]);
    expect(await codeOf(join(user, id))).toBe('invitation_not_found');
    expect(await tokenOf(id)).toBeNull();
  });
});

describe('an owner', () => {
  it('invites at most twenty addresses a day over all workspaces, also at the same time', async () => {
    const owner = await fixture.newUser();
    const { id } = await fixture.client.request(createWorkspace, { user_id: owner.id, name: 'Second' });
    const toSecond = (email: string) =>
      fixture.client.request(addMember, { actor_id: owner.id, id, email, role: 'member' as const });
    const codes = await Promise.all(
      Array.from({ length: 24 }, (_, n) => codeOf(n % 2 ? toSecond(stranger()) : invite(owner, stranger()))),
    );
    expect(codes.filter(code => code === undefined)).toHaveLength(20);
    expect(codes.filter(code => code === 'quota_reached')).toHaveLength(4);
  });

  it('sends at most five invitations a day to one user, however often they end', async () => {
    const [owner, user] = [await fixture.newUser(), await fixture.newUser()];
    for (let n = 0; n < 5; n++) {
      const { id } = await invite(owner, user.email);
      await (n % 2
        ? fixture.client.request(declineInvitation, { user_id: user.id, id })
        : fixture.client.request(removeMember, { actor_id: owner.id, id: workspaceOf(owner), member_id: id }));
    }
    expect(await codeOf(invite(owner, user.email))).toBe('quota_reached');
  });
});

describe('an invitation', () => {
  it('works once, also for concurrent requests', async () => {
    const owner = await fixture.newUser();
    const { id } = await invite(owner, stranger());
    const token = (await tokenOf(id))?.token as string;
    const codes = await Promise.all(Array.from({ length: 4 }, () => codeOf(accept(token))));
    expect(codes.filter(code => code === undefined)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([undefined, 'token_invalid']));
    expect(await tokenOf(id)).toBeNull();
  });

  it('does not work after it is revoked, expires, or its inviter is no longer an owner', async () => {
    const owner = await fixture.newUser();
    const revoked = await invite(owner, stranger());
    const token = (await tokenOf(revoked.id))?.token as string;
    await fixture.client.request(removeMember, { actor_id: owner.id, id: workspaceOf(owner), member_id: revoked.id });
    expect(await codeOf(accept(token))).toBe('token_invalid');

    const expired = await invite(owner, stranger());
    const late = (await tokenOf(expired.id))?.token as string;
    await fixture.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [expired.id]);
    expect(await codeOf(accept(late))).toBe('token_invalid');
    expect(await listOf(owner)).toHaveLength(1);

    const second = await fixture.newUser();
    await join(second, (await invite(owner, second.email, 'owner')).id);
    const bySecond = await fixture.client.request(addMember, {
      actor_id: second.id,
      id: workspaceOf(owner),
      email: stranger(),
      role: 'owner',
    });
    const orphaned = (await tokenOf(bySecond.id))?.token as string;
    await fixture.client.request(removeMember, { actor_id: owner.id, id: workspaceOf(owner), member_id: second.id });
    expect(await codeOf(accept(orphaned))).toBe('token_invalid');
  });

  it('has a new token for each mail, and only the last token works', async () => {
    const owner = await fixture.newUser();
    const { id } = await invite(owner, stranger());
    const [first, second] = [await tokenOf(id), await tokenOf(id)];
    expect(await codeOf(accept(first?.token as string))).toBe('token_invalid');
    expect(await codeOf(accept(second?.token as string))).toBeUndefined();
  });

  it('refuses common passwords, and stays valid', async () => {
    const owner = await fixture.newUser();
    const { id } = await invite(owner, stranger());
    const token = (await tokenOf(id))?.token as string;
    expect(await codeOf(accept(token, 'passwordpassword'))).toBe('invalid_input');
    expect(await codeOf(accept(token))).toBeUndefined();
  });

  it('can be revoked only by owners', async () => {
    const owner = await fixture.newUser();
    const member = await fixture.newUser();
    await join(member, (await invite(owner, member.email, 'member')).id);
    const { id } = await invite(owner, stranger());
    const byMember = { actor_id: member.id, id: workspaceOf(owner), member_id: id };
    expect(await codeOf(fixture.client.request(removeMember, byMember))).toBe('role_insufficient');
    expect(await tokenOf(id)).not.toBeNull();
  });
});
