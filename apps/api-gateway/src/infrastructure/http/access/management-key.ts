import { authenticateManagementKey, type ManagementScope, type managementKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ServiceClient } from '../../service-client/ports.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { Problem } from '../errors/problem.js';
import { requestContextOf } from '../server/request-context.js';
import { routeUrlOf } from '../server/route-url.js';
import { setSession } from './session.js';

type Key = z.output<typeof managementKey>;

const FORM = /^Bearer +(em_admin_[0-9A-Za-z]{43})$/i;
const MARK = 'em_admin_';

/** Whether a request presents a management key, also a malformed one. */
export const presentsManagementKey = ({ headers }: FastifyRequest): boolean =>
  headers.authorization?.toLowerCase().startsWith(`bearer ${MARK}`) ?? false;

/** The management key of a request; undefined if it is malformed. */
export const managementKeyOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  FORM.exec(headers.authorization ?? '')?.[1];

/** Authenticates a management key, and checks that its scopes allow the route and that it reaches the email service. */
export const admitManagementKey = async (
  services: ServiceClient,
  key_hash: string,
  request: FastifyRequest,
): Promise<void> => {
  const context = requestContextOf(request);
  const found = await services.request(authenticateManagementKey, { key_hash }, context);
  const { key, role } = found;
  setSession(request, {
    ...context,
    actor: `management-key:${key.id}`,
    userId: found.user_id,
    email: found.email,
    workspaceId: found.workspace_id,
    ...(found.quotas ? { quotas: found.quotas } : {}),
    operator: false,
    role,
    tokenHash: key_hash,
    managementKey: key,
  });
};

/** Rejects with 403 unless the scopes of the key allow the route, and with 404 for an email service that it does not reach. */
export const assertManagementScope = (key: Key, request: FastifyRequest): void => {
  const allowed = managementScopeOf(request.method, routeUrlOf(request));
  if (allowed === undefined)
    throw refused('management_key_not_allowed', 'Management keys cannot call this. Sign in to the dashboard instead.');
  if (allowed !== 'any' && !key.scopes.includes(allowed))
    throw refused(
      'scope_insufficient',
      `This needs a management key with the scope ${allowed}; this key has ${key.scopes.join(', ')}.`,
    );
  const { service_id } = request.params as { readonly service_id?: string };
  if (key.service_id === null || service_id?.toLowerCase() === key.service_id) return;
  if (service_id === undefined && allowed === 'any') return;
  throw new Problem(404, 'There is no such email service.', { [ERROR_CODE]: 'service_not_found' });
};

const refused = (code: string, message: string) => new Problem(403, message, { [ERROR_CODE]: code });

const OF_SERVICE = '/dashboard/api/email-services/:service_id';

/** The resources of an email service that each scope reaches. */
const SCOPES: Readonly<Record<string, ManagementScope>> = {
  domains: 'domains',
  webhooks: 'webhooks',
  suppressions: 'suppressions',
  'bounce-rules': 'suppressions',
  'api-keys': 'keys',
};
/** What can be read with `messages:read`. */
const READABLE: ReadonlySet<string> = new Set(['emails', 'stats', 'requests']);

/** The scope that a call needs; `any` for what every key may read, and undefined for everything else. */
export const managementScopeOf = (method: string, url: string): ManagementScope | 'any' | undefined => {
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && (url === OF_SERVICE || url === '/dashboard/api/email-services')) return 'any';
  if (isRead && url === '/dashboard/api/status') return 'messages:read';
  const [resource = ''] = url.startsWith(`${OF_SERVICE}/`) ? url.slice(OF_SERVICE.length + 1).split('/', 1) : [];
  return SCOPES[resource] ?? (isRead && READABLE.has(resource) ? 'messages:read' : undefined);
};
