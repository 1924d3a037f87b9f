import { endAllSessions, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from './sessions.js';

/** Ends every session of a user, including the one of the request. */
@Handles(endAllSessions)
export class EndAllSessions {
  constructor(private readonly sessions: Sessions) {}

  async execute({ user_id }: RequestOf<typeof endAllSessions>): Promise<ReplyOf<typeof endAllSessions>> {
    return { ended: await this.sessions.endAll(user_id) };
  }
}
