import { changeMemberRole, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { memberReplyOf } from './member-reply.js';
import { WorkspaceRepository } from './workspace-repository.js';
import { Workspaces } from './workspaces.projection.js';

/** Lets an owner change the role of a member, effective from the member's next request. Keeps the last owner. */
@Handles(changeMemberRole)
export class ChangeMemberRole {
  constructor(
    private readonly workspaces: WorkspaceRepository,
    private readonly directory: Workspaces,
  ) {}

  async execute(request: RequestOf<typeof changeMemberRole>): Promise<ReplyOf<typeof changeMemberRole>> {
    const { actor_id: actorId, id, member_id: userId, role } = request;
    const at = new Date().toISOString();
    await this.workspaces.execute(id, { kind: 'change-member-role', userId, role, actorId, at });
    return memberReplyOf(this.directory, id, userId);
  }
}
