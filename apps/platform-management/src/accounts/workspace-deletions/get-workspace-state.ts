import { getWorkspaceState, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceDeletions } from './workspace-deletions.js';

/** Returns to email-send whether the deletion that closed a workspace succeeded; waits for a deletion in progress. */
@Handles(getWorkspaceState)
export class GetWorkspaceState {
  constructor(private readonly deletions: WorkspaceDeletions) {}

  async execute({ workspace_id }: RequestOf<typeof getWorkspaceState>): Promise<ReplyOf<typeof getWorkspaceState>> {
    return { deleted: await this.deletions.isDeleted(workspace_id) };
  }
}
