import { listInvitations, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';

/** Lists the invitations that a user can accept or decline. */
@Handles(listInvitations)
export class ListInvitations {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({ user_id }: RequestOf<typeof listInvitations>): Promise<ReplyOf<typeof listInvitations>> {
    const invitations = await this.workspaces.invitationsTo(user_id);
    return invitations.map(({ id, workspaceName, role, inviterEmail, createdAt, expiresAt }) => ({
      id,
      workspace_name: workspaceName,
      role,
      invited_by: inviterEmail,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    }));
  }
}
