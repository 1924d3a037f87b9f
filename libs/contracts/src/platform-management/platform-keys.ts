import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, resourceName, timestamp } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** `write` includes `read`. */
export const platformKeyScope = z.enum(['read', 'write']);

/** The resources of the platform API: the tags of its routes. */
export const PLATFORM_RESOURCES = [
  'projects',
  'project-secrets',
  'web-services',
  'deployments',
  'environment',
  'logs-and-metrics',
  'databases',
  'runs',
] as const;

/** An operation that a key may be permitted; `write` includes `read`. */
export const platformOperation = z.enum(
  PLATFORM_RESOURCES.flatMap(resource => [`${resource}:read`, `${resource}:write`] as const),
);
export type PlatformOperation = z.output<typeof platformOperation>;

/** Tags whose routes belong to another resource. */
const PART_OF: Readonly<Record<string, string>> = {
  'secret-files': 'environment',
  'cron-jobs': 'runs',
  'log-drains': 'logs-and-metrics',
  'custom-domains': 'web-services',
  'disk-backups': 'web-services',
  'deploy-keys': 'web-services',
  'git-tokens': 'web-services',
  'registry-credentials': 'web-services',
  'deploy-hooks': 'deployments',
  'database-attachments': 'databases',
  'database-backups': 'databases',
  'database-extensions': 'databases',
};

/** Their lists name web services of any project, so a key needs more than reading. */
const NEVER_ONLY_READ: ReadonlySet<string> = new Set(['database-attachments', 'database-backups']);

/** The operation that a route needs, by its tag. */
export const operationOf = (route: string, write: boolean): PlatformOperation => {
  const tag = route.split('.', 1)[0] ?? '';
  const own = tag.replace(/(?<=[a-z])[A-Z]/g, letter => `-${letter}`).toLowerCase();
  return platformOperation.parse(`${PART_OF[own] ?? own}:${write || NEVER_ONLY_READ.has(own) ? 'write' : 'read'}`);
};

/** Projects and operations that a key is restricted to; null for no restriction. */
export const keyRestrictions = z.object({
  projects: z.array(id).nullable(),
  operations: z.array(platformOperation).nullable(),
});

/** A platform key, without the key itself. */
export const platformKey = z.object({
  id: id.describe('Id of the key.'),
  name: z.string().describe('Name of the key.'),
  key_prefix: z.string().describe('The first 12 characters of the key.'),
  scope: platformKeyScope.describe(
    '`read` allows GET; `write` allows everything. `read` also while the user of the key is a viewer.',
  ),
  expiry: timestamp.nullable().describe('When the key expires; null if never.'),
  projects: z.array(id).optional().describe('The projects that the key is restricted to; absent for all.'),
  operations: z.array(platformOperation).optional().describe('The operations that the key allows; absent for all.'),
});

/**
 * The values of the `RateLimit-*` headers: calls in any 60 seconds, calls left, and seconds until another call is left.
 */
export const rateLimitStanding = z.object({
  limit: z.int().positive(),
  remaining: z.int().nonnegative(),
  reset_s: z.int().nonnegative(),
});

/** The user, workspace and key of a platform API call. */
export const platformCaller = z.object({
  user_id: id,
  workspace_id: id,
  key: platformKey,
  project_ids: z.array(id).optional().describe('The projects that the key is restricted to.'),
});

/** A request of platform-management with `withAdmission`, without the fields that it takes from the caller. */
export const readAtAdmission = z.object({ name: z.string(), request: z.record(z.string(), z.unknown()) });

export type ReadAtAdmission = z.output<typeof readAtAdmission>;

/** The reply to a read, or its refusal. */
export const admittedRead = z.union([
  z.object({ ok: z.unknown() }),
  z.object({
    refusal: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      status: z.int().optional().describe('The HTTP status of the code.'),
    }),
  }),
]);
export type AdmittedRead = z.output<typeof admittedRead>;

/**
 * Authenticates a key, checks its scope and counts the call for all replicas of the gateway. Refused calls of a valid key
 * count as well. `rate_limit` is null if there is no limit. An admitted call with `read` is answered in the same reply,
 * except if the read fails: then the gateway sends the read separately. A restricted key is invalid for a route without an
 * operation. `operation_not_allowed` carries `required`. `insufficient_scope` carries `required` and `actual`;
 * `rate_limit_reached` carries `rate_limit` and `retry_after_s`.
 */
export const admitPlatformCall = request('admit-platform-call', {
  request: z.object({
    key_hash: z.string().regex(/^[0-9a-f]{64}$/),
    required: platformKeyScope,
    operation: platformOperation.or(z.literal('own-key')).optional(),
    role: workspaceRole.describe('The role that the route needs; the key has the role of its user.'),
    read: readAtAdmission.optional().describe('What the call reads.'),
  }),
  reply: z.object({
    caller: platformCaller,
    rate_limit: rateLimitStanding.nullable(),
    read: admittedRead.optional(),
  }),
  refusals: {
    platform_key_invalid: 401,
    insufficient_scope: 403,
    operation_not_allowed: 403,
    rate_limit_reached: 429,
  },
});

export const platformKeyInput = z.strictObject({
  name: resourceName,
  scope: platformKeyScope,
  expires_at: timestamp.optional().describe('A time in the future; absent for a key that never expires.'),
  projects: z.array(id).min(1).max(50).optional().describe('The projects that the key can access; absent for all.'),
  operations: z
    .array(platformOperation)
    .min(1)
    .max(2 * PLATFORM_RESOURCES.length)
    .optional()
    .describe('The operations that the key allows, within its scope; absent for all.'),
});

/** The key is returned only in this reply. */
export const createPlatformKey = request('create-platform-key', {
  request: platformKeyInput.extend({ user_id: id, workspace_id: id }),
  reply: platformKey.extend({ key: z.string(), ...keyRestrictions.shape }),
  refusals: { invalid_input: 400, project_not_found: 404, quota_reached: 409, workspace_not_found: 404 },
  http: {
    operation: 'PlatformKeys.create',
    method: 'POST',
    path: '/platform-keys',
    access: 'session',
    role: 'owner',
    status: 201,
    summary: 'Create a platform key; the key is shown only in this reply',
  },
});

/** Keys of the workspace, oldest first; includes expired keys but not revoked ones. */
export const listPlatformKeys = request('list-platform-keys', {
  request: z.object({ user_id: id, workspace_id: id }),
  reply: z.array(
    platformKey.extend({ ...keyRestrictions.shape, created_at: timestamp, last_used_at: timestamp.nullable() }),
  ),
  http: {
    operation: 'PlatformKeys.list',
    method: 'GET',
    path: '/platform-keys',
    access: 'session',
    role: 'owner',
    summary: 'List the platform keys of this workspace, without the keys themselves',
  },
});
export type PlatformKey = z.output<typeof listPlatformKeys.reply>[number];

export const revokePlatformKey = request('revoke-platform-key', {
  request: z.object({ user_id: id, workspace_id: id, key_id: id }),
  reply: noContent,
  refusals: { platform_key_not_found: 404 },
  http: {
    operation: 'PlatformKeys.revoke',
    method: 'DELETE',
    path: '/platform-keys/{key_id}',
    access: 'session',
    role: 'owner',
    summary: 'Revoke a platform key immediately',
  },
});
