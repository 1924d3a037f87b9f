import { applyDecorators } from '@nestjs/common';
import { authenticateSession, DEFAULT_MAX_BODY_BYTES } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { Admits, type GatewayAdmission } from '../admission/route-admission.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { Problem, unauthorized } from '../errors/problem.js';
import { DocumentsSession } from '../openapi/describe.js';
import { requestContextOf } from '../server/request-context.js';
import { credentialHashOf } from './credential-hash.js';
import { sessionOf, setSession } from './session.js';
import { isSameOrigin, SessionCookies } from './session-cookie.js';

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const BEARER_SCHEME = { 'www-authenticate': 'Bearer' };
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;

/**
 * Authenticates signed-in users. Sessions are not cached: a cached one could send a write to the user's previous
 * workspace.
 */
export class SessionAuthentication {
  readonly #publicOrigin: string;
  readonly #cookies: SessionCookies;

  constructor(
    private readonly services: ServiceClient,
    publicUrl: string,
  ) {
    this.#publicOrigin = new URL(publicUrl).origin;
    this.#cookies = new SessionCookies(publicUrl);
  }

  /**
   * The hash of the request's token; services never receive the token itself. Throws 401 if it is missing or malformed, 403
   * for a cookie from another site.
   */
  tokenHashOf(request: FastifyRequest): string {
    return credentialHashOf(request.raw, this.#tokenOf(request));
  }

  async authenticate(request: FastifyRequest, tokenHash: string): Promise<void> {
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
      role: user.role,
      ...(user.second_factor_missing ? { secondFactorMissing: true } : {}),
      tokenHash,
    });
  }

  #tokenOf(request: FastifyRequest): string {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = BEARER.exec(header)?.[1];
      if (token) return token;
      throw unauthorized('The Authorization header must be "Bearer <token>".', 'session_invalid', BEARER_SCHEME);
    }
    const token = this.#cookies.sessionOf(request);
    if (!token)
      throw unauthorized('Sign in first. The request has no session token.', 'session_missing', BEARER_SCHEME);
    if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, this.#publicOrigin)) {
      throw new Problem(403, 'Requests that use the session cookie must come from the dashboard.', {
        [ERROR_CODE]: 'cross_site_request',
      });
    }
    return token;
  }
}

/** Admits only operators, who may act in any workspace. Runs after `SessionAuthentication`. */
export const assertOperator = (request: FastifyRequest): void => {
  if (!sessionOf(request).operator)
    throw new Problem(403, 'Only operators can do this.', { [ERROR_CODE]: 'not_an_operator' });
};

/** Rejects the session of a user who still has to set up a second factor. Runs after `SessionAuthentication`. */
export const assertSecondFactor = (request: FastifyRequest): void => {
  if (!sessionOf(request).secondFactorMissing) return;
  const message = 'Two-factor authentication is required. Set it up under Account in the dashboard, then try again.';
  throw new Problem(403, message, { [ERROR_CODE]: 'second_factor_missing' });
};

/**
 * A controller route for every signed-in user regardless of role, or only for those with access to `:service_id`, or
 * only for operators.
 */
export const RequiresSession = (
  access: 'session' | 'service-owner' | 'operator' = 'session',
  more: Pick<GatewayAdmission, 'isEndless' | 'withoutSecondFactor'> = {},
) =>
  applyDecorators(
    Admits({ access, role: 'viewer', maxBodyBytes: DEFAULT_MAX_BODY_BYTES, budget: 'caller', ...more }),
    DocumentsSession(),
  );
