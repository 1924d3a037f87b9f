import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** `write` includes `read`. */
export const platformKeyScope = z.enum(['read', 'write']);

/** A platform key, without the key itself. */
export const platformKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string(),
  scope: platformKeyScope,
  expiry: timestamp.nullable().describe('When the key expires; null if never.'),
});

/** The values of the `RateLimit-*` headers: requests per minute, requests left, and seconds until the reset. */
export const rateLimitStanding = z.object({
  limit: z.int().positive(),
  remaining: z.int().nonnegative(),
  reset_s: z.int().nonnegative(),
});

/** The user, workspace and key of a platform API call. */
export const platformCaller = z.object({ user_id: id, workspace_id: id, key: platformKey });

/**
 * Authenticates a key, checks its scope and counts the call for all replicas of the gateway. Refused calls of a valid
 * key count as well. `rate_limit` is null if there is no limit.
 * `insufficient_scope` carries `required` and `actual`; `rate_limit_reached` carries `rate_limit` and `retry_after_s`.
 */
export const admitPlatformCall = request('admit-platform-call', {
  request: z.object({ key_hash: z.string().regex(/^[0-9a-f]{64}$/), required: platformKeyScope }),
  reply: z.object({ caller: platformCaller, rate_limit: rateLimitStanding.nullable() }),
  refusals: { platform_key_invalid: 401, insufficient_scope: 403, rate_limit_reached: 429 },
});

export const platformKeyInput = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scope: platformKeyScope,
  expires_at: timestamp.optional().describe('A time in the future; absent for a key that never expires.'),
});

/** The key is returned only in this reply. */
export const createPlatformKey = request('create-platform-key', {
  request: platformKeyInput.extend({ user_id: id, workspace_id: id }),
  reply: platformKey.extend({ key: z.string() }),
  refusals: { invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'PlatformKeys.create',
    method: 'POST',
    path: '/platform-keys',
    access: 'session',
    status: 201,
    summary: 'Create a platform key; the key is shown only in this reply',
  },
});

/** Keys of the user in the workspace, oldest first; includes expired keys but not revoked ones. */
export const listPlatformKeys = request('list-platform-keys', {
  request: z.object({ user_id: id, workspace_id: id }),
  reply: z.array(platformKey.extend({ created_at: timestamp, last_used_at: timestamp.nullable() })),
  http: {
    operation: 'PlatformKeys.list',
    method: 'GET',
    path: '/platform-keys',
    access: 'session',
    summary: 'List your platform keys in this workspace, without the keys themselves',
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
    summary: 'Revoke a platform key immediately',
  },
});
