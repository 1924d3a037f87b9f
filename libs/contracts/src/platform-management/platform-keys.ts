import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('platform-management');

/** `write` includes `read`. */
export const platformKeyScope = z.enum(['read', 'write']);

/** A key as it is reported: never the key itself. */
export const platformKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string(),
  scope: platformKeyScope,
  expiry: timestamp.nullable().describe('When the key stops working; null for never.'),
});

/** As `RateLimit-*` headers say it: requests a minute, how many are left of them, seconds until all are back. */
export const rateLimitStanding = z.object({
  limit: z.int().positive(),
  remaining: z.int().nonnegative(),
  reset_s: z.int().nonnegative(),
});

/** On whose behalf a call of the platform API acts. */
export const platformCaller = z.object({ user_id: id, workspace_id: id, key: platformKey });

/**
 * Recognises a key, holds it against the scope that the call needs, and counts the call, where all replicas of the
 * gateway see it. Refused calls of a valid key count as well. `rate_limit` is null where the limit is lifted.
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
  expires_at: timestamp.optional().describe('In the future; absent for a key that does not expire.'),
});

/** The reply is the only place where the key itself appears. */
export const createPlatformKey = request('create-platform-key', {
  request: platformKeyInput.extend({ user_id: id, workspace_id: id }),
  reply: platformKey.extend({ key: z.string() }),
  refusals: { invalid_input: 400 },
});

/** Keys of the user in the workspace that are not revoked, expired ones included, oldest first. */
export const listPlatformKeys = request('list-platform-keys', {
  request: z.object({ user_id: id, workspace_id: id }),
  reply: z.array(platformKey.extend({ created_at: timestamp, last_used_at: timestamp.nullable() })),
});

export const revokePlatformKey = request('revoke-platform-key', {
  request: z.object({ user_id: id, workspace_id: id, key_id: id }),
  reply: noContent,
  refusals: { platform_key_not_found: 404 },
});
