import { describe, expect, it } from '@jest/globals';
import { MEMBERS_PER_WORKSPACE, type WorkspaceRole } from '@postern/contracts';
import { specificationOf } from '@postern/event-sourcing/testing';
import { type WorkspaceEvent, workspace } from './workspace.js';
import type { InvitationCounts, MemberCommand, MemberEvent } from './workspace-members.js';

const given = specificationOf(workspace);
const at = '2026-01-02T03:04:05.678Z';
const created: WorkspaceEvent = {
  type: 'platform-management.workspace-created.v1',
  data: { workspace_id: 'shop', name: 'Shop', created_by: 'ada', at },
};
const data = (user_id: string, actor_id = 'ada') => ({ workspace_id: 'shop', user_id, actor_id, at });
const added = (user: string, role: WorkspaceRole): MemberEvent => ({
  type: 'platform-management.member-added.v1',
  data: { ...data(user), role },
});
const add = (userId: string, role: WorkspaceRole, actorId = 'ada'): MemberCommand => ({
  kind: 'add-member',
  userId,
  role,
  actorId,
  at,
});
const change = (userId: string, role: WorkspaceRole, actorId = 'ada'): MemberCommand => ({
  kind: 'change-member-role',
  userId,
  role,
  actorId,
  at,
});
const remove = (userId: string, actorId = 'ada'): MemberCommand => ({ kind: 'remove-member', userId, actorId, at });

describe('members of a workspace', () => {
  it('start with the creator as owner, who can add each user once', () => {
    given(created).when(add('bob', 'member')).yields(added('bob', 'member'));
    given(created, added('bob', 'member')).when(add('bob', 'viewer')).refuses('member_exists');
    given(created).when(add('ada', 'viewer')).refuses('member_exists');
  });

  it('are managed only by owners, and the workspace is not found by other users', () => {
    const others = [created, added('bob', 'member'), added('eve', 'viewer')];
    for (const actor of ['bob', 'eve']) {
      given(...others)
        .when(add('carl', 'viewer', actor))
        .refuses('role_insufficient');
      given(...others)
        .when(change(actor, 'owner', actor))
        .refuses('role_insufficient');
      given(...others)
        .when(remove('ada', actor))
        .refuses('role_insufficient');
    }
    given(...others)
      .when(add('carl', 'viewer', 'stranger'))
      .refuses('workspace_not_found');
    given(...others)
      .when(remove('stranger', 'stranger'))
      .refuses('member_not_found');
    given().when(add('bob', 'member')).refuses('workspace_not_found');
  });

  it('get another role, and the same role has no effect', () => {
    given(created, added('bob', 'member'))
      .when(change('bob', 'owner'))
      .yields({ type: 'platform-management.member-role-changed.v1', data: { ...data('bob'), role: 'owner' } });
    given(created, added('bob', 'member')).when(change('bob', 'member')).yields();
    given(created).when(change('bob', 'owner')).refuses('member_not_found');
  });

  it('are removed or leave, and can be added again', () => {
    const removed: MemberEvent = { type: 'platform-management.member-removed.v1', data: data('bob') };
    given(created, added('bob', 'viewer')).when(remove('bob')).yields(removed);
    given(created, added('bob', 'viewer'))
      .when(remove('bob', 'bob'))
      .yields({ ...removed, data: data('bob', 'bob') });
    given(created, added('bob', 'viewer'), removed).when(remove('bob')).refuses('member_not_found');
    given(created, added('bob', 'viewer'), removed).when(add('bob', 'owner')).yields(added('bob', 'owner'));
  });

  it('always include an owner', () => {
    given(created, added('bob', 'member')).when(remove('ada')).refuses('last_owner');
    given(created, added('bob', 'member')).when(change('ada', 'member')).refuses('last_owner');
    given(created, added('bob', 'owner'))
      .when(remove('ada'))
      .yields({ type: 'platform-management.member-removed.v1', data: data('ada') });
  });

  it(`are at most ${MEMBERS_PER_WORKSPACE}`, () => {
    const full = Array.from({ length: MEMBERS_PER_WORKSPACE - 1 }, (_, n) => added(`user-${n}`, 'viewer'));
    given(created, ...full)
      .when(add('bob', 'viewer'))
      .refuses('quota_reached');
    expect(full).toHaveLength(99);
  });
});

describe('an invitation', () => {
  const NONE: InvitationCounts = { userId: null, ofBoth: 0, pending: 0, ofWorkspace: 0, ofInviter: 0, ofAddress: 0 };
  const invite = (counts: Partial<InvitationCounts>, actorId = 'ada') =>
    ({ kind: 'invite-member', invitationId: 'i', actorId, counts: { ...NONE, ...counts }, at }) as const;
  const invited: MemberEvent = {
    type: 'platform-management.member-invited.v1',
    data: { workspace_id: 'shop', invitation_id: 'i', actor_id: 'ada', at },
  };

  it('goes to an address with or without a user, who is no member until they accept', () => {
    given(created).when(invite({})).yields(invited);
    given(created)
      .when(invite({ userId: 'bob' }))
      .yields(invited);
    given(created, invited).when(remove('bob')).refuses('member_not_found');
  });

  it('is refused for a member, for a pending one, and by others than owners', () => {
    given(created, added('bob', 'viewer'))
      .when(invite({ userId: 'bob' }))
      .refuses('member_exists');
    given(created)
      .when(invite({ ofBoth: 1 }))
      .refuses('member_exists');
    given(created, added('bob', 'member')).when(invite({}, 'bob')).refuses('role_insufficient');
  });

  it.each<[Partial<InvitationCounts>, Partial<InvitationCounts>]>([
    [{ ofWorkspace: 19 }, { ofWorkspace: 20 }],
    [{ ofInviter: 19 }, { ofInviter: 20 }],
    [{ ofAddress: 4 }, { ofAddress: 5 }],
    [{ pending: MEMBERS_PER_WORKSPACE - 2 }, { pending: MEMBERS_PER_WORKSPACE - 1 }],
  ])('is possible after %j and not after %j in a day', (allowed, refused) => {
    given(created).when(invite(allowed)).yields(invited);
    given(created).when(invite(refused)).refuses('quota_reached');
  });
});
