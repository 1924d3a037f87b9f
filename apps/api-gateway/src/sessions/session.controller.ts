import { Body, Controller, Delete, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { createdSession, createSession, endSession, switchWorkspace } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { RequiresSession } from '../infrastructure/http/access/session.guard.js';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import {
  deviceCookie,
  deviceFromCookie,
  expiredSessionCookie,
  publicOriginOf,
  sessionCookie,
} from '../infrastructure/http/access/session-cookie.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../service-client/ports.js';

const credentials = z.strictObject(createSession.request.pick({ email: true, password: true }).shape);
const workspaceChoice = z.strictObject(switchWorkspace.request.pick({ workspace_id: true }).shape);

/** Signs in and out. Not routes of contracts, because they set the session cookie or read the token. */
@Controller('dashboard/api/session')
export class SessionController {
  private readonly secure: boolean;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.secure = publicOriginOf(config.publicUrl).secure;
  }

  @Post()
  @HttpCode(200)
  @Describes({
    requests: [createSession],
    summary: 'Sign in',
    description:
      'Also sets the token as an HttpOnly, SameSite=Strict cookie. A second cookie tells later logins that the browser has logged in to the account before: failures of other clients do not limit it.',
    reply: createdSession,
    responseHeaders: { 'Set-Cookie': 'The session cookie, and that of the device.' },
  })
  async signIn(
    @Body({ schema: credentials }) body: z.output<typeof credentials>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const ip = clientAddressOf(request);
    const device = deviceFromCookie(request);
    const { device_token, ...session } = await this.services.request(
      createSession,
      { ...body, ip, ...(device === undefined ? {} : { device_token: device }) },
      requestContextOf(request),
    );
    reply.header('set-cookie', sessionCookie(session.token, session.expires_at, this.secure));
    if (device_token !== undefined) reply.header('set-cookie', deviceCookie(device_token, this.secure));
    return session;
  }

  @Delete()
  @RequiresSession()
  @Describes({ requests: [endSession], summary: 'Sign out' })
  async signOut(@CurrentSession() session: Session, @Res({ passthrough: true }) reply: FastifyReply) {
    const ended = await this.services.request(endSession, { token_hash: session.tokenHash }, session);
    reply.header('set-cookie', expiredSessionCookie(this.secure));
    return ended;
  }

  @Post('workspace')
  @HttpCode(200)
  @RequiresSession()
  @Describes({ requests: [switchWorkspace], summary: 'Switch to another workspace' })
  switchWorkspace(
    @CurrentSession() session: Session,
    @Body({ schema: workspaceChoice }) body: z.output<typeof workspaceChoice>,
  ) {
    return this.services.request(switchWorkspace, { token_hash: session.tokenHash, ...body }, session);
  }
}
