import type { z } from 'zod';
import type { WorkspaceRole } from './workspace-roles.js';

/**
 * Who may call a route. `platform-key`: a key of the platform API whose scope is `write`, or `read` for GET. `session`:
 * a signed-in user. `service-owner`: a user in the workspace that owns `{service_id}`. `workspace-member`: a
 * user who belongs to the workspace `{id}`. `operator`: a signed-in operator. `anyone`: a client without a credential.
 */
export type RouteAccess = 'platform-key' | 'session' | 'service-owner' | 'workspace-member' | 'operator' | 'anyone';

/** The base path of the routes for each kind of caller: the platform API or the dashboard API. */
export const BASE_PATHS: Readonly<Record<RouteAccess, string>> = {
  'platform-key': '/api/v1',
  session: '/dashboard/api',
  'service-owner': '/dashboard/api',
  'workspace-member': '/dashboard/api',
  operator: '/dashboard/api',
  anyone: '/dashboard/api',
};

/**
 * The rate limit that a call counts against. `caller`: the limits of its user in the gateway, and those of its platform key
 * or email service, which services count; a refused credential counts against `client` instead. `client`: the requests
 * without a credential of the client's address. `client-frequent`: ten times as many, for opens, clicks and health checks,
 * where many clients share one address. `client-hooks`: as many as `client`, counted separately, for calls of Git hosts.
 */
export type RouteBudget = 'caller' | 'client' | 'client-frequent' | 'client-hooks';

/** The permitted callers of a route, its maximum body size and its rate limit: all checked with the headers only. */
export interface RouteAdmission<Access extends string = RouteAccess> {
  readonly access: Access;
  /** The role that the caller needs in the workspace; not for operators and anonymous callers. */
  readonly role?: WorkspaceRole;
  readonly maxBodyBytes: number;
  readonly budget: RouteBudget;
  /** Whether a session may call it before its user has set up a required second factor. */
  readonly withoutSecondFactor?: boolean;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** The largest body of a route that declares none. */
export const DEFAULT_MAX_BODY_BYTES = MIB;

/**
 * The fields of a caller in the gateway: `email`, `tokenHash` and `quotas` only of a session, `projectIds` only of a
 * platform key that is restricted to projects, and `clientAddress`, the IP address, only of a client without a credential.
 */
export type CallerField = 'userId' | 'workspaceId' | 'email' | 'tokenHash' | 'quotas' | 'projectIds' | 'clientAddress';

/** Request fields that are taken from the caller and not read from path, query or body, unless `fromBody` names them. */
export const CALLER_FIELDS: Readonly<Record<string, CallerField>> = {
  user_id: 'userId',
  actor_id: 'userId',
  workspace_id: 'workspaceId',
  workspace_quotas: 'quotas',
  project_ids: 'projectIds',
};

/**
 * One HTTP route of a request. Each field of the request comes from the first of: `fixed`, the caller, the path, and
 * then the body, or the query of a GET. An unknown field is refused.
 */
export interface HttpRoute<Field extends string = string> {
  /** `<Tag>.<action>`: the tag and name of the operation in the documentation and in permissions. */
  readonly operation: string;
  /** Names the method in generated clients; the name of the contract if absent, so several routes need their own. */
  readonly operationId?: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base path of the API, `/projects/{project_id}`; every parameter is a field of the request. */
  readonly path: string;
  /** Several if the platform API and the dashboard API share the route. */
  readonly access: RouteAccess | readonly RouteAccess[];
  /** The role that the caller needs in the workspace; `requiredRole` derives it from method and path if absent. */
  readonly role?: WorkspaceRole;
  /** Status of a success; 200 if absent. */
  readonly status?: 200 | 201 | 202;
  readonly summary: string;
  readonly description?: string;
  /** Shown in the documentation; a test checks them against the shapes. */
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown };
  /** Fields that this route takes from the caller, besides `CALLER_FIELDS`. */
  readonly fromCaller?: { readonly [Name in Field]?: CallerField };
  /** Fields in `CALLER_FIELDS` that this route reads from the body, because the caller chooses them. */
  readonly fromBody?: readonly Field[];
  /** Fields that have one value on this route. */
  readonly fixed?: { readonly [Name in Field]?: unknown };
  /** Shapes of fields for which HTTP accepts less than the service. */
  readonly narrowed?: { readonly [Name in Field]?: z.ZodType };
  /** Describes the archive that the route also takes as its body; the gateway has a route of its own for it. */
  readonly archive?: string;
  /** The field that contains the whole body. */
  readonly bodyField?: Field;
  /** The maximum size of the body in bytes; `DEFAULT_MAX_BODY_BYTES` if absent. */
  readonly maxBodyBytes?: number;
  /** Whether operators reach the resources of every user; a route for operators only always reaches them. */
  readonly operatorsReachAll?: boolean;
  /** Whether a session may call it before its user has set up a required second factor. */
  readonly withoutSecondFactor?: boolean;
  /** Whether the body may be absent, which then counts as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * Whether platform-management answers a call of the platform API together with its admission, which saves a request.
   * Only for reads of its own database.
   */
  readonly withAdmission?: boolean;
  /** A field of the reply with a path of the gateway, which clients receive as a URL. */
  readonly urlField?: string;
  /** For a reply `{ <resource>, created }`: the answer is the resource, with 200 instead of 201 if it existed. */
  readonly upsert?: { readonly resource: string; readonly updated: string };
}

/** The fields of a request that a route takes from the caller, with the field of the caller. */
export const callerFieldsOf = (
  fields: Iterable<string>,
  { path, fromCaller = {}, fromBody = [] }: Pick<HttpRoute, 'path' | 'fromCaller' | 'fromBody'>,
): readonly (readonly [field: string, from: CallerField])[] => {
  const given = new Set([...pathParametersOf(path), ...fromBody]);
  return [
    ...[...fields].flatMap(field => {
      const from = CALLER_FIELDS[field];
      return from !== undefined && !given.has(field) ? [[field, from] as const] : [];
    }),
    ...Object.entries(fromCaller).flatMap(([field, from]) => (from ? [[field, from] as const] : [])),
  ];
};

/** The names in braces in the path of a route. */
export const pathParametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);

/** A whole resource of a workspace, such as `/projects/{project_id}`. */
const TOP_LEVEL_RESOURCE = /^\/[a-z-]+\/\{\w+\}$/;

/**
 * The role that a caller needs for a route: a viewer reads, a member writes, and an owner deletes what the workspace
 * owns directly.
 */
export const requiredRole = ({ role, method, path }: Pick<HttpRoute, 'role' | 'method' | 'path'>): WorkspaceRole => {
  if (role) return role;
  if (method === 'GET') return 'viewer';
  return method === 'DELETE' && TOP_LEVEL_RESOURCE.test(path) ? 'owner' : 'member';
};

/** The admission that a route declares for one kind of caller. */
export const admissionOf = (route: HttpRoute, access: RouteAccess): RouteAdmission => ({
  access,
  ...(access === 'operator' || access === 'anyone' ? {} : { role: requiredRole(route) }),
  maxBodyBytes: route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
  budget: access === 'anyone' ? 'client' : 'caller',
  ...(route.withoutSecondFactor ? { withoutSecondFactor: true } : {}),
});
