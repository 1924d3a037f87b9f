import { deleteWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceDeletions } from './workspace-deletions.js';

/** Deletes an empty workspace for an owner. When it resolves, the sessions and platform keys of the workspace are refused. */
@Handles(deleteWorkspace)
export class DeleteWorkspace {
  constructor(private readonly deletions: WorkspaceDeletions) {}

  async execute({ actor_id, id }: RequestOf<typeof deleteWorkspace>): Promise<ReplyOf<typeof deleteWorkspace>> {
    await this.deletions.delete(id, actor_id);
    return { id, deleted: true };
  }
}
