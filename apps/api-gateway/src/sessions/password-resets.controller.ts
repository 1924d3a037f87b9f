import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { confirmPasswordReset, KIB } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { SessionCookies } from '../infrastructure/http/access/session-cookie.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const reset = z.strictObject(confirmPasswordReset.request.shape);

/** Sets new passwords. Not derived from the contract, because the route sets a cookie. */
@Controller('dashboard/api/password-reset')
@UseInterceptors(AuditInterceptor)
export class PasswordResetsController {
  readonly #cookies: SessionCookies;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.#cookies = new SessionCookies(config.publicUrl);
  }

  @Post('confirm')
  @HttpCode(200)
  @Admits({ access: 'anyone', maxBodyBytes: 4 * KIB, budget: 'client' })
  @Describes({
    requests: [confirmPasswordReset],
    summary: 'Set a new password with the token from a password reset email',
    description:
      'Ends all sessions of the user. Two-factor authentication stays on. The cookie marks the browser as one that has signed in to the account before, so that failed attempts of other clients do not delay its sign-in.',
    reply: z.object({}),
    responseHeaders: { 'Set-Cookie': 'The cookie of the device.' },
  })
  async confirm(
    @Body({ schema: reset }) body: z.output<typeof reset>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { device_token } = await this.services.request(confirmPasswordReset, body, requestContextOf(request));
    if (device_token !== undefined) reply.header('set-cookie', this.#cookies.device(device_token));
    return {};
  }
}
