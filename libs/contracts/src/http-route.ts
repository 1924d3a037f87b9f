import type { z } from 'zod';

/**
 * Who may call a route. `platform-key`: a key of the platform API whose scope is `write`, or `read` for GET. `session`:
 * a signed-in user. `service-owner`: a user in the workspace that owns `{service_id}`. `operator`: a signed-in operator.
 */
export type RouteAccess = 'platform-key' | 'session' | 'service-owner' | 'operator';

/** Where each kind of caller finds the routes: the platform API or the dashboard API. */
export const BASE_PATHS: Readonly<Record<RouteAccess, string>> = {
  'platform-key': '/api/v1',
  session: '/dashboard/api',
  'service-owner': '/dashboard/api',
  operator: '/dashboard/api',
};

/** What the gateway knows of an authenticated caller; `email` and `quotas` only of a session. */
export type CallerField = 'userId' | 'workspaceId' | 'email' | 'quotas';

/** Request fields that are always taken from the caller and never read from path, query or body. */
export const CALLER_FIELDS: Readonly<Record<string, CallerField>> = {
  user_id: 'userId',
  actor_id: 'userId',
  workspace_id: 'workspaceId',
  workspace_quotas: 'quotas',
};

/**
 * One HTTP route of a request. Each field of the request comes from the first of: `fixed`, the caller, the path, and
 * then the body, or the query of a GET. An unknown field is refused.
 */
export interface HttpRoute<Field extends string = string> {
  /** `<Tag>.<action>`, the operation id in the OpenAPI document; generated clients name their methods after it. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base path of the API, `/projects/{project_id}`; every parameter is a field of the request. */
  readonly path: string;
  /** Several where the platform API and the dashboard API share the route. */
  readonly access: RouteAccess | readonly RouteAccess[];
  /** Status of a success; 200 if absent. */
  readonly status?: 200 | 201 | 202;
  readonly summary: string;
  readonly description?: string;
  /** Shown in the documentation; a test checks them against the shapes. */
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown };
  /** Fields that this route takes from the caller, besides `CALLER_FIELDS`. */
  readonly fromCaller?: { readonly [Name in Field]?: CallerField };
  /** Fields that have one value on this route. */
  readonly fixed?: { readonly [Name in Field]?: unknown };
  /** Shapes of fields of which HTTP accepts less than the service does. */
  readonly narrowed?: { readonly [Name in Field]?: z.ZodType };
  /** The field that the whole body becomes. */
  readonly bodyField?: Field;
  /** Whether the body may be absent, which then counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** For a reply `{ <resource>, created }`: the answer is the resource, with 200 instead of 201 where it existed. */
  readonly upsert?: { readonly resource: string; readonly updated: string };
}
