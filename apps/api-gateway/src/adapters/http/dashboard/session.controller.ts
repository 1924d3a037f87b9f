import { Body, Controller, Delete, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { createSession, endSession, switchWorkspace } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../../../config.js';
import { Services } from '../../../ports.js';
import { Answers } from '../openapi/describe.js';
import { askerOf } from '../server/asker.js';
import { clientAddressOf } from '../server/client-address.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';
import { expiredSessionCookie, publicOriginOf, sessionCookie } from './session-cookie.js';

const credentials = z.strictObject(createSession.request.pick({ email: true, password: true }).shape);
const workspaceChoice = z.strictObject(switchWorkspace.request.pick({ workspace_id: true }).shape);

@Controller('dashboard/api/session')
export class SessionController {
  private readonly secure: boolean;

  constructor(
    private readonly services: Services,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.secure = publicOriginOf(config.publicUrl).secure;
  }

  @Post()
  @HttpCode(200)
  @Answers(createSession, 'Sign in', {
    description: 'The token also comes as an HttpOnly, SameSite=Strict cookie.',
    responseHeaders: { 'Set-Cookie': 'The session cookie.' },
  })
  async signIn(
    @Body({ schema: credentials }) body: z.output<typeof credentials>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const session = await this.services.ask(createSession, { ...body, ip: clientAddressOf(request) }, askerOf(request));
    reply.header('set-cookie', sessionCookie(session.token, session.expires_at, this.secure));
    return session;
  }

  @Delete()
  @UseGuards(SessionGuard)
  @Answers(endSession, 'Sign out')
  async signOut(@SignedIn() session: Session, @Res({ passthrough: true }) reply: FastifyReply) {
    const ended = await this.services.ask(endSession, { token_hash: session.tokenHash }, session);
    reply.header('set-cookie', expiredSessionCookie(this.secure));
    return ended;
  }

  @Post('workspace')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  @Answers(switchWorkspace, 'Act in another workspace from now on')
  switchWorkspace(
    @SignedIn() session: Session,
    @Body({ schema: workspaceChoice }) body: z.output<typeof workspaceChoice>,
  ) {
    return this.services.ask(switchWorkspace, { token_hash: session.tokenHash, ...body }, session);
  }
}
