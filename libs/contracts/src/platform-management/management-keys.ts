import { z } from 'zod';
import { quotaOverrides } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id, noContent, resourceName, timestamp } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** What a management key may do with the email services that it reaches. */
export const MANAGEMENT_SCOPES = ['domains', 'webhooks', 'suppressions', 'messages:read', 'keys'] as const;
export const managementScope = z.enum(MANAGEMENT_SCOPES);
export type ManagementScope = z.output<typeof managementScope>;

/** A key of the dashboard API for programs, without the key itself. */
export const managementKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string().describe('The first 13 characters of the key.'),
  scopes: z.array(managementScope).describe('What the key allows.'),
  service_id: id.nullable().describe('The email service that the key reaches; null for all of the workspace.'),
  expiry: timestamp.nullable().describe('When the key expires; null if never.'),
});

export const createManagementKey = request('create-management-key', {
  request: z.strictObject({
    user_id: id,
    workspace_id: id,
    name: resourceName,
    scopes: z.array(managementScope).min(1, 'must name at least one scope').max(MANAGEMENT_SCOPES.length),
    service_id: id.optional().describe('The email service that the key reaches; absent for all of the workspace.'),
    expires_at: timestamp.optional().describe('A time in the future; absent for a key that never expires.'),
  }),
  reply: managementKey.extend({ key: z.string() }),
  refusals: { invalid_input: 400, service_not_found: 404, quota_reached: 409, workspace_not_found: 404 },
  http: {
    operation: 'ManagementKeys.create',
    method: 'POST',
    path: '/management-keys',
    access: 'session',
    role: 'owner',
    status: 201,
    summary: 'Create a management key for programs; the key is shown only in this reply',
    description:
      'The key is a Bearer token for the calls of the dashboard API that its scopes allow: `domains`, `webhooks`, `suppressions`, `messages:read` and `keys` of email services.',
  },
});

/** Oldest first; includes expired keys. */
export const listManagementKeys = request('list-management-keys', {
  request: z.object({ workspace_id: id }),
  reply: z.array(managementKey.extend({ created_at: timestamp, last_used_at: timestamp.nullable() })),
  http: {
    operation: 'ManagementKeys.list',
    method: 'GET',
    path: '/management-keys',
    access: 'session',
    role: 'owner',
    summary: 'List the management keys of this workspace, without the keys themselves',
  },
});
export type ManagementKey = z.output<typeof listManagementKeys.reply>[number];

export const revokeManagementKey = request('revoke-management-key', {
  request: z.object({ workspace_id: id, key_id: id }),
  reply: noContent,
  refusals: { management_key_not_found: 404 },
  http: {
    operation: 'ManagementKeys.revoke',
    method: 'DELETE',
    path: '/management-keys/{key_id}',
    access: 'session',
    role: 'owner',
    summary: 'Revoke a management key immediately',
  },
});

/** Refuses unknown, revoked and expired keys, and keys whose user is disabled or has left the workspace. */
export const authenticateManagementKey = request('authenticate-management-key', {
  request: z.object({ key_hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  reply: z.object({
    key: managementKey,
    user_id: id,
    email: z.string(),
    workspace_id: id,
    role: workspaceRole,
    quotas: quotaOverrides.optional().describe('What an operator has set for the workspace.'),
  }),
  refusals: { management_key_invalid: 401 },
});
