import {
  authenticateManagementKey,
  type ManagementScope,
  operationOf,
  type PlatformOperation,
  type platformKey,
} from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { API_KEY_FORMAT } from '../infrastructure/http/access/api-key.js';
import { credentialHashOf } from '../infrastructure/http/access/credential-hash.js';
import { managementKeyOf, managementScopeOf } from '../infrastructure/http/access/management-key.js';
import { PLATFORM_KEY_FORM } from '../infrastructure/http/access/platform-key.js';
import { unauthorized } from '../infrastructure/http/errors/problem.js';
import type { Operation } from '../infrastructure/http/openapi/operations.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

type PlatformKey = z.output<typeof platformKey>;

/** The keys of a request to the MCP server, as the headers with which its tools call the API. */
export interface Credentials {
  readonly email?: Readonly<Record<string, string>>;
  readonly platform?: Readonly<Record<string, string>>;
  readonly management?: Readonly<Record<string, string>>;
}

const MISSING =
  'Send a key as "Authorization: Bearer …": em_live_… of an email service, ak_live_… of the platform API, or em_admin_… for management. A key of an email service may also be sent as "Api-Key: em_live_…", beside another one.';

/** @throws 401 if the request has no key. */
export const credentialsOf = ({ headers }: FastifyRequest): Credentials => {
  const { authorization = '', 'api-key': apiKey } = headers;
  const bearer = /^Bearer +(em_live_\S+)$/i.exec(authorization)?.[1];
  const email = typeof apiKey === 'string' ? apiKey : bearer;
  const credentials = {
    ...(email !== undefined && API_KEY_FORMAT.test(email) ? { email: { 'api-key': email } } : {}),
    ...(PLATFORM_KEY_FORM.test(authorization) ? { platform: { authorization } } : {}),
    ...(managementKeyOf({ headers }) === undefined ? {} : { management: { authorization } }),
  };
  if (Object.keys(credentials).length === 0)
    throw unauthorized(MISSING, 'key_missing', { 'www-authenticate': 'Bearer' });
  return credentials;
};

/** The headers for a call of an operation; undefined if no key of the request is for it. */
export const headersFor = (
  { email, platform, management }: Credentials,
  { admission, method, path }: Operation,
): Readonly<Record<string, string>> | undefined => {
  if (admission.access === 'api-key') return email;
  if (admission.access === 'platform-key') return platform;
  return managementScopeOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1')) === undefined
    ? undefined
    : management;
};

/** Which operations the keys permit; every call is checked again by the API. */
export type Permits = (operation: Operation) => boolean;

/** Asks for the scopes of the keys. `ownKey` reads the platform key. @throws 401 for a key that is not valid */
export const permitsOf = async (
  credentials: Credentials,
  request: FastifyRequest,
  services: ServiceClient,
  ownKey: () => Promise<PlatformKey>,
): Promise<Permits> => {
  const platform = credentials.platform ? await ownKey() : undefined;
  const scopes = credentials.management ? await scopesOf(request, services) : [];
  return operation => {
    if (headersFor(credentials, operation) === undefined) return false;
    if (operation.admission.access === 'api-key') return true;
    if (operation.admission.access === 'platform-key') return platform !== undefined && allows(platform, operation);
    const scope = managementScopeOf(operation.method.toUpperCase(), operation.path.replace(/\{(\w+)\}/g, ':$1'));
    return scope === 'any' || (scope !== undefined && scopes.includes(scope));
  };
};

const scopesOf = async (request: FastifyRequest, services: ServiceClient): Promise<readonly ManagementScope[]> => {
  const key_hash = credentialHashOf(request.raw, managementKeyOf(request) ?? '');
  const { key } = await services.request(authenticateManagementKey, { key_hash }, requestContextOf(request));
  return key.scopes;
};

const allows = ({ scope, operations }: PlatformKey, { id, method }: Operation): boolean => {
  const isRead = method === 'get';
  if (!isRead && scope !== 'write') return false;
  if (!operations || id === 'OwnKey.get') return true;
  const needed = operationOf(id, !isRead);
  return operations.includes(needed) || operations.includes(needed.replace(/:read$/, ':write') as PlatformOperation);
};
