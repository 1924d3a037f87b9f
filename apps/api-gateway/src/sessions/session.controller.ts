import { Body, Controller, Delete, HttpCode, Inject, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { createdSession, createSession, endSession, KIB } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { CurrentSession, type Session } from '../infrastructure/http/access/session.js';
import { RequiresSession } from '../infrastructure/http/access/session-authentication.js';
import { SessionCookies } from '../infrastructure/http/access/session-cookie.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const credentials = z.strictObject(createSession.request.pick({ email: true, password: true, code: true }).shape);
/** Longer ones are truncated; the names of browser and system come first. */
const LONGEST_USER_AGENT = 512;

/** Signs in and out. Not derived from contracts, because the routes set and clear cookies. */
@Controller('dashboard/api/session')
@UseInterceptors(AuditInterceptor)
export class SessionController {
  readonly #cookies: SessionCookies;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.#cookies = new SessionCookies(config.publicUrl);
  }

  @Post()
  @HttpCode(200)
  @Admits({ access: 'anyone', maxBodyBytes: 4 * KIB, budget: 'client' })
  @Describes({
    requests: [createSession],
    summary: 'Sign in',
    description:
      'A user with two-factor authentication gets 401 with the `Error-Code` `second_factor_required` if `code` is missing. `code` is a code from the authenticator app or a recovery code. Also sets the token as an HttpOnly, SameSite=Strict cookie. A second cookie marks the browser as one that has signed in to the account before, so that failed attempts of other clients do not lock it out.',
    reply: createdSession,
    responseHeaders: { 'Set-Cookie': 'The session cookie, and that of the device.' },
  })
  async signIn(
    @Body({ schema: credentials }) body: z.output<typeof credentials>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const ip = clientAddressOf(request);
    const device = this.#cookies.deviceOf(request);
    const agent = request.headers['user-agent'];
    const { device_token, ...session } = await this.services.request(
      createSession,
      {
        ...body,
        ip,
        ...(device === undefined ? {} : { device_token: device }),
        ...(agent === undefined ? {} : { user_agent: agent.slice(0, LONGEST_USER_AGENT) }),
      },
      requestContextOf(request),
    );
    reply.header('set-cookie', this.#cookies.session(session.token, session.expires_at));
    reply.header('set-cookie', this.#cookies.device(device_token));
    return session;
  }

  @Delete()
  @RequiresSession('session', { withoutSecondFactor: true })
  @Describes({ requests: [endSession], summary: 'Sign out' })
  async signOut(@CurrentSession() session: Session, @Res({ passthrough: true }) reply: FastifyReply) {
    const ended = await this.services.request(endSession, { token_hash: session.tokenHash }, session);
    reply.header('set-cookie', this.#cookies.endedSession());
    return ended;
  }
}
