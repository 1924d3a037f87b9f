import { Injectable } from '@nestjs/common';
import type { endSession, ReplyOf, RequestOf } from '@postern/contracts';
import { Sessions } from './ports.js';

/** Logs out. A session that has ended already stays ended. */
@Injectable()
export class EndSession {
  constructor(private readonly sessions: Sessions) {}

  async execute({ token_hash }: RequestOf<typeof endSession>): Promise<ReplyOf<typeof endSession>> {
    await this.sessions.end(token_hash);
    return {};
  }
}
