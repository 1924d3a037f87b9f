import { Injectable } from '@nestjs/common';
import { type authenticateSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { AccountDirectory, Sessions } from '../ports.js';

/** Tells who acts, and in which workspace. Refuses expired, ended and unknown sessions alike. */
@Injectable()
export class AuthenticateSession {
  constructor(
    private readonly sessions: Sessions,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({
    token_hash,
  }: RequestOf<typeof authenticateSession>): Promise<ReplyOf<typeof authenticateSession>> {
    const session = await this.sessions.find(token_hash);
    const account = session && (await this.accounts.find(session.userId));
    if (!session || !account) throw new Refusal('session_invalid', 'the session is unknown or has expired; log in again');
    return {
      user_id: account.id,
      email: account.email,
      operator: account.operator,
      workspace_id: session.workspaceId,
    };
  }
}
