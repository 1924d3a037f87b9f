import { deleteWorkspace, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceDeletions } from './ports.js';

/** Lets an owner delete an empty workspace. When this returns, its sessions and platform keys are refused. */
@Handles(deleteWorkspace)
export class DeleteWorkspace {
  constructor(private readonly deletions: WorkspaceDeletions) {}

  async execute({ actor_id, id }: RequestOf<typeof deleteWorkspace>): Promise<ReplyOf<typeof deleteWorkspace>> {
    await this.deletions.delete(id, actor_id);
    return { id, deleted: true };
  }
}
