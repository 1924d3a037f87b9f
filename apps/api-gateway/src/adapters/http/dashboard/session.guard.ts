import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { authenticateSession } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../../config.js';
import { Services } from '../../../ports.js';
import { Problem } from '../errors/problem.js';
import { askerOf } from '../server/asker.js';
import { hashOfToken, rememberSession } from './session.js';
import { comesFromOurPages, publicOriginOf, tokenFromCookie } from './session-cookie.js';

const READING = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;

/**
 * Lets only signed-in users in. Every request asks platform-management anew: a remembered answer could send a write
 * into the workspace that the user has just left.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  private readonly publicOrigin: string;

  constructor(
    private readonly services: Services,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.publicOrigin = publicOriginOf(config.publicUrl).origin;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const tokenHash = hashOfToken(this.tokenOf(request));
    const asker = askerOf(request);
    const known = await this.services.ask(authenticateSession, { token_hash: tokenHash }, asker);
    rememberSession(request, {
      ...asker,
      actor: `user:${known.user_id}`,
      userId: known.user_id,
      email: known.email,
      workspaceId: known.workspace_id,
      operator: known.operator,
      tokenHash,
    });
    return true;
  }

  private tokenOf(request: FastifyRequest): string {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = BEARER.exec(header)?.[1];
      if (token) return token;
      throw unauthorized('The Authorization header must be "Bearer <token>".');
    }
    const token = tokenFromCookie(request);
    if (!token) throw unauthorized('Sign in first: no session token was sent.');
    if (!READING.has(request.method) && !comesFromOurPages(request, this.publicOrigin)) {
      throw new Problem(403, 'A write with the session cookie must come from the dashboard itself.');
    }
    return token;
  }
}

const unauthorized = (message: string): Problem => new Problem(401, message, { 'www-authenticate': 'Bearer' });
