import { MEMBERS_PER_WORKSPACE, type WorkspaceRole } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';

/** The role of each member of a workspace, by the id of the user. */
export type Members = Readonly<Record<string, WorkspaceRole>>;

interface OfMember {
  readonly workspace_id: string;
  readonly user_id: string;
  readonly actor_id: string;
  readonly at: string;
}

export type MemberEvent =
  | {
      readonly type: 'platform-management.member-added.v1' | 'platform-management.member-role-changed.v1';
      readonly data: OfMember & { readonly role: WorkspaceRole };
    }
  | { readonly type: 'platform-management.member-removed.v1'; readonly data: OfMember }
  | {
      readonly type: 'platform-management.member-invited.v1';
      readonly data: Omit<OfMember, 'user_id'> & { readonly invitation_id: string };
    };

export type MemberCommand = (
  | { readonly kind: 'add-member' | 'change-member-role'; readonly role: WorkspaceRole }
  | { readonly kind: 'remove-member' }
) & { readonly userId: string; readonly actorId: string; readonly at: string };

/**
 * Numbers of pending invitations, of the address in the workspace and of the workspace, and those of the last day, of the
 * workspace, the inviter and the address. `userId`: the user who has the address.
 */
export interface InvitationCounts {
  readonly userId: string | null;
  readonly ofBoth: number;
  readonly pending: number;
  readonly ofWorkspace: number;
  readonly ofInviter: number;
  readonly ofAddress: number;
}

/** The address of an invitation is stored in a row, not in the event. */
export interface InviteCommand {
  readonly kind: 'invite-member';
  readonly invitationId: string;
  readonly actorId: string;
  readonly counts: InvitationCounts;
  readonly at: string;
}

/** Limits invitations, because they are mailed to people who have not asked for them. */
const INVITATIONS_PER_DAY = { ofWorkspace: 20, ofInviter: 20, ofAddress: 5 } as const;

export const decideInvitation = (
  { invitationId, actorId, counts, at }: InviteCommand,
  workspace_id: string,
  members: Members,
): MemberEvent[] => {
  requireOwner(members, actorId);
  if (counts.userId !== null && members[counts.userId]) throw memberExists();
  if (counts.ofBoth > 0)
    throw new Refusal('member_exists', 'email: this address is already invited; revoke the invitation first');
  if (Object.keys(members).length + counts.pending >= MEMBERS_PER_WORKSPACE) throw tooManyMembers();
  for (const name of ['ofWorkspace', 'ofInviter', 'ofAddress'] as const) {
    const limit = INVITATIONS_PER_DAY[name];
    if (counts[name] >= limit)
      throw new Refusal('quota_reached', 'too many invitations in one day; try again tomorrow', {
        quota: 'invitations',
        limit,
      });
  }
  const data = { workspace_id, invitation_id: invitationId, actor_id: actorId, at };
  return [{ type: 'platform-management.member-invited.v1', data }];
};

/** Only owners manage members; every member can leave; a workspace always has an owner. */
export const decideMembers = (command: MemberCommand, workspace_id: string, members: Members): MemberEvent[] => {
  const { kind, userId, actorId, at } = command;
  if (!(kind === 'remove-member' && actorId === userId)) requireOwner(members, actorId);
  const data = { workspace_id, user_id: userId, actor_id: actorId, at };
  switch (kind) {
    case 'add-member':
      if (members[userId]) throw memberExists();
      if (Object.keys(members).length >= MEMBERS_PER_WORKSPACE) throw tooManyMembers();
      return [{ type: 'platform-management.member-added.v1', data: { ...data, role: command.role } }];
    case 'change-member-role':
      if (roleOf(members, userId) === command.role) return [];
      if (command.role !== 'owner') keepAnOwner(members, userId);
      return [{ type: 'platform-management.member-role-changed.v1', data: { ...data, role: command.role } }];
    case 'remove-member':
      roleOf(members, userId);
      keepAnOwner(members, userId);
      return [{ type: 'platform-management.member-removed.v1', data }];
  }
};

export const evolveMembers = ({ type, data }: MemberEvent, members: Members): Members => {
  if (type === 'platform-management.member-invited.v1') return members;
  if (type !== 'platform-management.member-removed.v1') return { ...members, [data.user_id]: data.role };
  const { [data.user_id]: _removed, ...others } = members;
  return others;
};

/** Refuses with `workspace_not_found` for users who are not members, so that the workspace is not revealed to them. */
export const requireOwner = (members: Members, actorId: string): void => {
  if (!members[actorId]) throw new Refusal('workspace_not_found', 'there is no such workspace');
  if (members[actorId] !== 'owner')
    throw new Refusal('role_insufficient', 'only owners can change a workspace and its members');
};

const roleOf = (members: Members, userId: string): WorkspaceRole => {
  const role = members[userId];
  if (!role) throw new Refusal('member_not_found', 'there is no such member');
  return role;
};

const memberExists = (): Refusal =>
  new Refusal('member_exists', 'email: this user is already a member of the workspace');

const tooManyMembers = (): Refusal => {
  const limit = MEMBERS_PER_WORKSPACE;
  const message = `a workspace has at most ${limit} members; remove one first`;
  return new Refusal('quota_reached', message, { quota: 'members', limit });
};

const keepAnOwner = (members: Members, userId: string): void => {
  const others = Object.entries(members).filter(([id]) => id !== userId);
  if (members[userId] === 'owner' && !others.some(([, role]) => role === 'owner'))
    throw new Refusal('last_owner', 'a workspace needs at least one owner; make another member an owner first');
};
