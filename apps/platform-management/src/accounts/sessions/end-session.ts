import { endSession, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from './sessions.js';

/** Logs out. Ending a session twice has no further effect. */
@Handles(endSession)
export class EndSession {
  constructor(private readonly sessions: Sessions) {}

  async execute({ token_hash }: RequestOf<typeof endSession>): Promise<ReplyOf<typeof endSession>> {
    await this.sessions.end(token_hash);
    return {};
  }
}
