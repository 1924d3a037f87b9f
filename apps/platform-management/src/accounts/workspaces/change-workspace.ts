import { changeWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';

/** Lets an owner rename a workspace. */
@Handles(changeWorkspace)
export class ChangeWorkspace {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute(request: RequestOf<typeof changeWorkspace>): Promise<ReplyOf<typeof changeWorkspace>> {
    const { actor_id: actorId, id, name } = request;
    await this.workspaces.rename(id, name, actorId);
    return { id, name };
  }
}
