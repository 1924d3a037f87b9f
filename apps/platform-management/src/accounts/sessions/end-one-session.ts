import { endOneSession, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Sessions } from './sessions.js';

/** Ends one session of a user, possibly that of the request. Refuses sessions of other users like unknown sessions. */
@Handles(endOneSession)
export class EndOneSession {
  constructor(private readonly sessions: Sessions) {}

  async execute({ user_id, session_id }: RequestOf<typeof endOneSession>): Promise<ReplyOf<typeof endOneSession>> {
    if (!(await this.sessions.endOne(user_id, session_id)))
      throw new Refusal('session_not_found', 'there is no such session');
    return {};
  }
}
