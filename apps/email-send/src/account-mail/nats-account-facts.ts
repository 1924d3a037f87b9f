import { Injectable } from '@nestjs/common';
import { getAccountMailFacts, issueInvitationToken, issuePasswordResetToken } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { AccountFacts } from './ports.js';

/** Requests the facts from platform-management over NATS. */
@Injectable()
export class NatsAccountFacts extends AccountFacts {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async ofUser(user_id: string, workspace_id?: string) {
    const request = workspace_id === undefined ? { user_id } : { user_id, workspace_id };
    const { email, workspace_name } = await this.requests.request(getAccountMailFacts, request);
    return { email, workspaceName: workspace_name };
  }

  override async passwordReset(request_id: string) {
    return (await this.requests.request(issuePasswordResetToken, { request_id })).mail;
  }

  override async invitation(invitation_id: string) {
    const { mail } = await this.requests.request(issueInvitationToken, { invitation_id });
    if (!mail) return null;
    const { email, token, workspace_name: workspaceName, has_account: hasAccount } = mail;
    return { email, token, workspaceName, hasAccount, invitedBy: mail.invited_by, role: mail.role };
  }
}
