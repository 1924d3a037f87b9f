import { type Member, Refusal } from '@postern/contracts';
import type { InvitationRow, MemberRow } from './workspace-rows.js';
import type { Workspaces } from './workspaces.projection.js';

/** Maps a member to the reply of the contracts. */
export const memberReply = ({ userId, email, role, joinedAt }: MemberRow): Member => ({
  id: userId,
  email,
  role,
  status: 'active',
  joined_at: joinedAt.toISOString(),
  expires_at: null,
});

/** Maps an invitation to the reply of the contracts. */
export const invitationReply = ({ id, email, role, expiresAt }: InvitationRow): Member => ({
  id,
  email,
  role,
  status: 'invited',
  joined_at: null,
  expires_at: expiresAt.toISOString(),
});

/** The reply with a member after a command. Refuses with `member_not_found` if the member was removed in the meantime. */
export const memberReplyOf = async (directory: Workspaces, workspaceId: string, id: string): Promise<Member> => {
  const member = (await directory.membersOf(workspaceId)).find(({ userId }) => userId === id);
  if (!member) throw new Refusal('member_not_found', 'there is no such member');
  return memberReply(member);
};
