import { leaveWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';

/** Lets a member of any role leave a workspace, except the last owner. */
@Handles(leaveWorkspace)
export class LeaveWorkspace {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({ actor_id, id }: RequestOf<typeof leaveWorkspace>): Promise<ReplyOf<typeof leaveWorkspace>> {
    const at = new Date().toISOString();
    await this.workspaces.execute(id, { kind: 'remove-member', userId: actor_id, actorId: actor_id, at });
    return {};
  }
}
