import * as contracts from '@postern/contracts';
import { auditActionOf, BASE_PATHS, DEPLOY_HOOK_CALLED, type HttpRoute, isRequestContract } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** A route whose calls are in the audit log. */
export interface AuditedRoute {
  readonly action: string;
  /** The type of the resource in the response, if the call creates one. */
  readonly creates?: string;
  /** Whether the body contains the address of a user, who is the actor. */
  readonly isLogin?: boolean;
}

type Method = HttpRoute['method'];

const auditedRoute = (operation: string, method: Method): AuditedRoute => {
  const action = auditActionOf(operation, method);
  const [resource = '', what] = action.split('.');
  return what === 'created' ? { action, creates: resource } : { action };
};

const namesUser = (request: z.ZodType): boolean => request instanceof z.ZodObject && 'email' in request.shape;

const declaredRoutes = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(({ http, request }) => http.map(route => ({ ...route, namesUser: namesUser(request) })))
  .filter(({ method }) => method !== 'GET')
  .flatMap(({ access, method, path, operation, namesUser }) =>
    [access].flat().map((one): readonly [string, AuditedRoute] => {
      const pattern = `${BASE_PATHS[one]}${path.replace(/\{(\w+)\}/g, ':$1')}`;
      const isLogin = one === 'anyone' && namesUser;
      return [`${method} ${pattern}`, { ...auditedRoute(operation, method), ...(isLogin ? { isLogin } : {}) }];
    }),
  );

/** By method and pattern: every writing route of a contract, and routes without a contract. */
export const AUDITED_ROUTES: ReadonlyMap<string, AuditedRoute> = new Map([
  ...declaredRoutes,
  ['POST /dashboard/api/session', { action: auditActionOf('Session.signIn', 'POST'), isLogin: true }],
  ['DELETE /dashboard/api/session', auditedRoute('Session.signOut', 'DELETE')],
  ['POST /dashboard/api/password-reset/confirm', auditedRoute('PasswordResets.confirm', 'POST')],
  ['GET /api/v1/web-services/:web_service_id/shell', { action: 'shell.opened', creates: 'run' }],
  ['POST /hooks/deploy/:token', { action: DEPLOY_HOOK_CALLED }],
]);

export const auditedRouteOf = (request: FastifyRequest): AuditedRoute | undefined =>
  AUDITED_ROUTES.get(`${request.method} ${request.routeOptions.url}`);
