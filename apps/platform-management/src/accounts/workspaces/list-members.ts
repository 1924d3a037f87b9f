import { listMembers, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { invitationReply, memberReply } from './member-reply.js';
import { workspaceNotFound } from './workspace.js';
import { Workspaces } from './workspaces.projection.js';

/** Lists the members and invitations of a workspace. Refuses users who do not belong to it. */
@Handles(listMembers)
export class ListMembers {
  constructor(private readonly directory: Workspaces) {}

  async execute({ actor_id, id }: RequestOf<typeof listMembers>): Promise<ReplyOf<typeof listMembers>> {
    const members = await this.directory.membersOf(id);
    if (!members.some(({ userId }) => userId === actor_id)) throw workspaceNotFound();
    const invitations = await this.directory.invitationsOf(id);
    return [...members.map(memberReply), ...invitations.map(invitationReply)];
  }
}
