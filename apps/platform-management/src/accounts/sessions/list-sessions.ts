import { listSessions, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from './sessions.js';

/** Lists the active sessions of a user, most recently used first. */
@Handles(listSessions)
export class ListSessions {
  constructor(private readonly sessions: Sessions) {}

  async execute({ user_id, token_hash }: RequestOf<typeof listSessions>): Promise<ReplyOf<typeof listSessions>> {
    const sessions = await this.sessions.listOf(user_id);
    return sessions.map(session => ({
      id: session.id,
      created_at: session.createdAt.toISOString(),
      last_used_at: session.lastUsedAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      client_address: session.clientAddress,
      user_agent: session.userAgent,
      current: session.tokenHash === token_hash,
    }));
  }
}
