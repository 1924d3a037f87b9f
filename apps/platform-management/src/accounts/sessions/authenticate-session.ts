import { Inject } from '@nestjs/common';
import { authenticateSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { PlatformManagementConfig } from '../../config.js';
import { Sessions } from './sessions.js';

/** Returns the user and workspace of a session. Refuses expired, ended and unknown sessions with the same code. */
@Handles(authenticateSession)
export class AuthenticateSession {
  constructor(
    private readonly sessions: Sessions,
    @Inject(CONFIG) private readonly config: Pick<PlatformManagementConfig, 'requireSecondFactor'>,
  ) {}

  async execute({ token_hash }: RequestOf<typeof authenticateSession>): Promise<ReplyOf<typeof authenticateSession>> {
    const session = await this.sessions.find(token_hash);
    if (!session) throw new Refusal('session_invalid', 'the session is unknown or has expired; sign in again');
    const isMissing = this.config.requireSecondFactor && !session.hasSecondFactor;
    const { userId, email, operator, workspaceId, role, quotas } = session;
    return {
      ...{ user_id: userId, email, operator, workspace_id: workspaceId, role, quotas },
      ...(isMissing ? { second_factor_missing: true } : {}),
    };
  }
}
