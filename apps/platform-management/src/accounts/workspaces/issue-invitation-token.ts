import { issueInvitationToken, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WorkspaceRepository } from './workspace-repository.js';
import { Workspaces } from './workspaces.projection.js';

/** Generates the token for the mail about an invitation, if the invitation can still be accepted. */
@Handles(issueInvitationToken)
export class IssueInvitationToken {
  constructor(
    private readonly workspaces: WorkspaceRepository,
    private readonly directory: Workspaces,
  ) {}

  async execute(request: RequestOf<typeof issueInvitationToken>): Promise<ReplyOf<typeof issueInvitationToken>> {
    const invitation = await this.workspaces.issueToken(request.invitation_id);
    if (!invitation) return { mail: null };
    const { email, token, workspaceId, hasAccount, inviterEmail, role } = invitation;
    const workspace = await this.directory.find(workspaceId);
    const workspace_name = workspace?.name ?? '';
    return { mail: { email, token, workspace_name, has_account: hasAccount, invited_by: inviterEmail, role } };
  }
}
