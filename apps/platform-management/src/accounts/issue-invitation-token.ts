import { issueInvitationToken, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { newMailedToken } from './mailed-token.js';
import { AccountDirectory, MemberRepository } from './ports.js';

/** Generates the token for the mail about an invitation, if the invitation can still be accepted. */
@Handles(issueInvitationToken)
export class IssueInvitationToken {
  constructor(
    private readonly members: MemberRepository,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({
    invitation_id,
  }: RequestOf<typeof issueInvitationToken>): Promise<ReplyOf<typeof issueInvitationToken>> {
    const { token, tokenHash } = newMailedToken();
    const invitation = await this.members.issueToken(invitation_id, tokenHash);
    if (!invitation) return { mail: null };
    const workspace = await this.accounts.findWorkspace(invitation.workspaceId);
    return { mail: { email: invitation.email, token, workspace_name: workspace?.name ?? '' } };
  }
}
