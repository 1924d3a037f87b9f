import { authenticateSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from './ports.js';

/** Returns the user and workspace of a session. Refuses expired, ended and unknown sessions alike. */
@Handles(authenticateSession)
export class AuthenticateSession {
  constructor(private readonly sessions: Sessions) {}

  async execute(request: RequestOf<typeof authenticateSession>): Promise<ReplyOf<typeof authenticateSession>> {
    const session = await this.sessions.find(request.token_hash);
    if (!session || (session.role !== 'owner' && !request.knows_roles))
      throw new Refusal('session_invalid', 'the session is unknown or has expired; sign in again');
    const { userId, email, operator, workspaceId, role, quotas } = session;
    return { user_id: userId, email, operator, workspace_id: workspaceId, role, quotas };
  }
}
