import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { authenticateSession } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../../config.js';
import { ServiceClient } from '../../../service-client/ports.js';
import { Problem } from '../errors/problem.js';
import { DocumentsSession } from '../openapi/describe.js';
import { requestContextOf } from '../server/request-context.js';
import { hashOfToken, setSession } from './session.js';
import { isSameOrigin, publicOriginOf, tokenFromCookie } from './session-cookie.js';

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;

/**
 * Admits signed-in users. Sessions are not cached: a cached one could send a write to the workspace that the user has
 * just left.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  private readonly publicOrigin: string;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) config: GatewayConfig,
  ) {
    this.publicOrigin = publicOriginOf(config.publicUrl).origin;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const tokenHash = hashOfToken(this.tokenOf(request));
    const context = requestContextOf(request);
    const user = await this.services.request(authenticateSession, { token_hash: tokenHash }, context);
    setSession(request, {
      ...context,
      actor: `user:${user.user_id}`,
      userId: user.user_id,
      email: user.email,
      workspaceId: user.workspace_id,
      ...(user.quotas ? { quotas: user.quotas } : {}),
      operator: user.operator,
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
    if (!token) throw unauthorized('Sign in first. The request has no session token.');
    if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, this.publicOrigin)) {
      throw new Problem(403, 'Requests that use the session cookie must come from the dashboard.');
    }
    return token;
  }
}

/** Puts a route of a controller behind `SessionGuard` and documents it. */
export const RequiresSession = () => applyDecorators(UseGuards(SessionGuard), DocumentsSession());

const unauthorized = (message: string): Problem => new Problem(401, message, { 'www-authenticate': 'Bearer' });
