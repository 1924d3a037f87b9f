import { joinWorkspace, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';
import { Workspaces } from './workspaces.projection.js';

/** Makes an invited user a member with the role of the invitation. Refuses invitations of other users. */
@Handles(joinWorkspace)
export class JoinWorkspace {
  constructor(
    private readonly workspaces: WorkspaceRepository,
    private readonly directory: Workspaces,
  ) {}

  async execute({ user_id, id }: RequestOf<typeof joinWorkspace>): Promise<ReplyOf<typeof joinWorkspace>> {
    const workspaceId = await this.workspaces.join(user_id, id);
    const workspace = await this.directory.find(workspaceId);
    const role = await this.directory.roleOf(user_id, workspaceId);
    if (!workspace || !role) throw new Refusal('invitation_not_found', 'the workspace of this invitation was deleted');
    return { id: workspace.id, name: workspace.name, role };
  }
}
