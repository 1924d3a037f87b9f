import { API_KEY_USED, type AuditRecord, PLATFORM_KEY_USED } from '@postern/contracts';
import { userAgentFamilyOf, wideNetworkOf } from '@postern/service-host';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { type CalledHook, calledHookOf } from '../access/called-hook.js';
import { findCaller } from '../access/caller.js';
import type { RefusedKey } from '../access/refused-key.js';
import { clientAddressOf } from '../server/client-address.js';
import { readJson } from '../validation/received-body.js';
import type { AuditedRoute } from './audited-routes.js';

/** Resource types of path parameters whose name differs from the type. */
const TYPE_OF_PARAMETER: Readonly<Record<string, string>> = {
  service: 'email_service',
  domain: 'sending_domain',
  recipient: 'verified_recipient',
  delivery: 'webhook_delivery',
};

/** The format of a stored id. Path parameters are not validated yet and may contain anything. */
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The entry of a call that is starting. */
export const attemptOf = (request: FastifyRequest, route: AuditedRoute): AuditRecord => {
  const caller = findCaller(request);
  const hook = calledHookOf(request);
  const login = route.isLogin ? loginOf(request) : undefined;
  return {
    entry_id: uuidv7(),
    actor: hook ? { type: 'deploy_hook', id: hook.id } : actorOf(caller),
    ...(login === undefined ? {} : { login }),
    action: route.action,
    resource: hook ? webServiceOf(hook) : resourceOf(request, route),
    workspace_id: hook?.workspace_id ?? caller?.workspaceId ?? null,
    client: clientOf(request),
    outcome: 'attempted',
    code: null,
    request_id: request.id,
  };
};

/** The entry of a call whose platform key was refused. */
export const refusalOfKey = (request: FastifyRequest, { code, key }: RefusedKey): AuditRecord => ({
  entry_id: uuidv7(),
  actor: key ? { type: 'platform_key', id: key.id } : { type: 'unknown', id: null },
  action: PLATFORM_KEY_USED,
  resource: { type: 'platform_key', id: key?.id ?? null },
  workspace_id: key?.workspace_id ?? null,
  client: clientOf(request),
  outcome: 'refused',
  code,
  request_id: request.id,
});

const clientOf = (request: FastifyRequest): AuditRecord['client'] => ({
  network: wideNetworkOf(clientAddressOf(request)),
  user_agent: userAgentFamilyOf(request.headers['user-agent']) ?? null,
});

/** The entry of an SMTP submission login whose API key was refused. */
export const refusalOfApiKey = (address: string, requestId: string): AuditRecord => ({
  entry_id: uuidv7(),
  actor: { type: 'unknown', id: null },
  action: API_KEY_USED,
  resource: { type: 'api_key', id: null },
  workspace_id: null,
  client: { network: wideNetworkOf(address), user_agent: null },
  outcome: 'refused',
  code: 'api_key_invalid',
  request_id: requestId,
});

/** The resource of a successful call: the created one, if it creates a resource. */
export const withCreatedResource = (entry: AuditRecord, { creates }: AuditedRoute, answer: unknown): AuditRecord => {
  if (typeof answer !== 'object' || answer === null) return entry;
  const type = entry.actor.type === 'deploy_hook' ? 'deployment' : creates;
  const id: unknown = Reflect.get(answer, entry.actor.type === 'deploy_hook' ? 'deployment_id' : 'id');
  return type && typeof id === 'string' && ID.test(id) ? { ...entry, resource: { type, id } } : entry;
};

const webServiceOf = (hook: CalledHook) => ({ type: 'web_service', id: hook.web_service_id });

const actorOf = (caller: ReturnType<typeof findCaller>): AuditRecord['actor'] => {
  if (!caller) return { type: 'unknown', id: null };
  if (caller.managementKey) return { type: 'management_key', id: caller.managementKey.id };
  return caller.platformKey ? { type: 'platform_key', id: caller.platformKey.id } : { type: 'user', id: caller.userId };
};

/** The resource of the last path parameter; an address is not an id, so it is omitted. */
const resourceOf = (request: FastifyRequest, { action, creates }: AuditedRoute): AuditRecord['resource'] => {
  const type = action.split('.', 1)[0]!;
  if (creates) return { type, id: null };
  const own = /:id(?=[^:]*$)/.test(request.routeOptions.url ?? '') && (request.params as { readonly id?: string }).id;
  if (own) return { type, id: ID.test(own) ? own : null };
  const name = /:(\w+)_id(?=[^:]*$)/.exec(request.routeOptions.url ?? '')?.[1];
  const id = name && (request.params as Record<string, string>)[`${name}_id`];
  if (!id || !ID.test(id)) return { type, id: null };
  const isLast = request.routeOptions.url?.endsWith(`:${name}_id`);
  return { type: isLast ? type : (TYPE_OF_PARAMETER[name] ?? name), id };
};

const loginOf = (request: FastifyRequest): string | undefined => {
  try {
    const { email } = readJson(request.body) as { readonly email?: unknown };
    return typeof email === 'string' ? email.slice(0, 320) : undefined;
  } catch {
    return undefined;
  }
};
