import { z } from 'zod';
import { quotaOverrides } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';

const request = requestsOf('platform-management', ['api-gateway']);

export const workspace = z.object({ id, name: z.string() });
export type Workspace = z.output<typeof workspace>;

export const user = z.object({
  id,
  email: z.string(),
  operator: z.boolean(),
  workspaces: z.array(workspace),
  created_at: timestamp,
});
export type User = z.output<typeof user>;

/** Lower-case hex SHA-256 of a session token. */
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * `ip` is the client's address. Failed attempts are counted per account and client; `device_token`, which the reply of
 * an earlier login contained, tells devices of the account from others. A service of the release before returns none.
 */
export const createSession = request('create-session', {
  request: z.object({
    email: z.string().max(320),
    password: z.string().max(1024),
    ip: z.string(),
    device_token: z.string().max(1024).optional(),
  }),
  reply: z.object({ token: z.string(), expires_at: timestamp, device_token: z.string().optional() }),
  refusals: { credentials_wrong: 401, too_many_attempts: 429 },
  callers: ['operator'],
  deadlineMs: 10_000,
});
/** What HTTP clients read of a new session; the token of the device is in a cookie. */
export const createdSession = createSession.reply.omit({ device_token: true });
export type CreatedSession = z.output<typeof createdSession>;

/** Returns the user of the session and the active workspace. */
export const authenticateSession = request('authenticate-session', {
  request: z.object({ token_hash: tokenHash }),
  reply: z.object({
    user_id: id,
    email: z.string(),
    operator: z.boolean(),
    workspace_id: id,
    quotas: quotaOverrides.optional().describe('What an operator has set for the workspace.'),
  }),
  refusals: { session_invalid: 401 },
  callers: ['operator'],
});

export const endSession = request('end-session', {
  request: z.object({ token_hash: tokenHash }),
  reply: noContent,
  callers: ['operator'],
});

export const getMe = request('get-me', {
  request: z.object({ user_id: id, workspace_id: id }),
  reply: user.extend({ active_workspace: workspace }),
  refusals: { user_not_found: 404 },
  http: {
    operation: 'Users.me',
    method: 'GET',
    path: '/me',
    access: 'session',
    summary: 'Get the signed-in user and the active workspace',
  },
});
export type Me = z.output<typeof getMe.reply>;

/** For operators only. Also creates a workspace for the user. */
export const createUser = request('create-user', {
  callers: ['operator'],
  request: z.object({
    actor_id: id,
    email: z.string().max(320),
    password: z.string().min(12, 'must have at least 12 characters').max(1024),
    operator: z.boolean().default(false),
    workspace_name: z.string().trim().min(1).max(100).optional(),
  }),
  reply: user,
  refusals: { not_an_operator: 403, invalid_input: 400, user_exists: 409 },
  http: {
    operation: 'Users.createUser',
    method: 'POST',
    path: '/users',
    access: 'session',
    status: 201,
    summary: 'Create a user and their workspace (operators only)',
  },
  deadlineMs: 10_000,
});

export const createWorkspace = request('create-workspace', {
  request: z.object({ user_id: id, name: z.string().trim().min(1).max(100) }),
  reply: workspace,
  refusals: { user_not_found: 404, invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'Users.createWorkspace',
    method: 'POST',
    path: '/workspaces',
    access: 'session',
    status: 201,
    summary: 'Create a workspace',
  },
});

export const switchWorkspace = request('switch-workspace', {
  request: z.object({ token_hash: tokenHash, workspace_id: id }),
  reply: workspace,
  refusals: { session_invalid: 401, workspace_not_found: 404 },
});

export const changePassword = request('change-password', {
  request: z.object({
    user_id: id,
    current_password: z.string().max(1024),
    new_password: z.string().min(12, 'must have at least 12 characters').max(1024),
  }),
  reply: noContent,
  refusals: { credentials_wrong: 401, too_many_attempts: 429, invalid_input: 400 },
  http: {
    operation: 'Users.changePassword',
    method: 'POST',
    path: '/me/password',
    access: 'session',
    summary: 'Change your password',
  },
  deadlineMs: 10_000,
});
