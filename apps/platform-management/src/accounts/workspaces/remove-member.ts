import { type ReplyOf, type RequestOf, removeMember } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';

/** Lets an owner remove a member, whose sessions and keys in the workspace stop working at once. Keeps the last owner. */
@Handles(removeMember)
export class RemoveMember {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({
    actor_id: actorId,
    id,
    member_id: userId,
  }: RequestOf<typeof removeMember>): Promise<ReplyOf<typeof removeMember>> {
    await this.workspaces.execute(id, { kind: 'remove-member', userId, actorId, at: new Date().toISOString() });
    return {};
  }
}
