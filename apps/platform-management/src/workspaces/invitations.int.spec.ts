import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  acceptInvitation,
  addMember,
  issueInvitationToken,
  listMembers,
  removeMember,
  type WorkspaceRole,
} from '@postern/contracts';
import { AccountsFixture, codeOf, OPERATOR, type User } from '../testing/accounts-fixture.js';

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR);
}, 60_000);
afterAll(() => fixture?.stop());

const PASSWORD = 'four unrelated words here';
const workspaceOf = (user: User): string => user.workspaces[0]?.id as string;
let strangers = 0;
const stranger = () => `stranger-${++strangers}@example.org`;
const invite = (owner: User, email: string, role: WorkspaceRole = 'member') =>
  fixture.client.request(addMember, { actor_id: owner.id, id: workspaceOf(owner), email, role });
const tokenOf = async (invitation_id: string) =>
  (await fixture.client.request(issueInvitationToken, { invitation_id })).mail;
const accept = (token: string, password = PASSWORD) => fixture.client.request(acceptInvitation, { token, password });
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
    expect(mail).toMatchObject({ email, workspace_name: owner.workspaces[0]?.name });
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
    await invite(owner, second.email, 'owner');
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
    await invite(owner, member.email, 'member');
    const { id } = await invite(owner, stranger());
    const byMember = { actor_id: member.id, id: workspaceOf(owner), member_id: id };
    expect(await codeOf(fixture.client.request(removeMember, byMember))).toBe('role_insufficient');
    expect(await tokenOf(id)).not.toBeNull();
  });
});
