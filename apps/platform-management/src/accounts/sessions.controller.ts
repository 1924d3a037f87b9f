import { Controller } from '@nestjs/common';
import {
  authenticateSession,
  createSession,
  endSession,
  type ReplyOf,
  type RequestOf,
  switchWorkspace,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { AuthenticateSession } from './authenticate-session.js';
import { CreateSession } from './create-session.js';
import { EndSession } from './end-session.js';
import { SwitchWorkspace } from './switch-workspace.js';

/** Logging in, being recognised, logging out. */
@Controller()
export class SessionsController {
  constructor(
    private readonly creating: CreateSession,
    private readonly authenticating: AuthenticateSession,
    private readonly switching: SwitchWorkspace,
    private readonly ending: EndSession,
  ) {}

  @HandlesRequest(createSession)
  create(request: RequestOf<typeof createSession>): Promise<ReplyOf<typeof createSession>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(authenticateSession)
  authenticate(request: RequestOf<typeof authenticateSession>): Promise<ReplyOf<typeof authenticateSession>> {
    return this.authenticating.execute(request);
  }

  @HandlesRequest(switchWorkspace)
  switch(request: RequestOf<typeof switchWorkspace>): Promise<ReplyOf<typeof switchWorkspace>> {
    return this.switching.execute(request);
  }

  @HandlesRequest(endSession)
  end(request: RequestOf<typeof endSession>): Promise<ReplyOf<typeof endSession>> {
    return this.ending.execute(request);
  }
}
