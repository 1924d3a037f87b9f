import { declineInvitation, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';

/** Ends an invitation to a user, at the user's request. */
@Handles(declineInvitation)
export class DeclineInvitation {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({ user_id, id }: RequestOf<typeof declineInvitation>): Promise<ReplyOf<typeof declineInvitation>> {
    await this.workspaces.decline(user_id, id);
    return {};
  }
}
