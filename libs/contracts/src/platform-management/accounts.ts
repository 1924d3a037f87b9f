import { z } from 'zod';
import { quotaOverrides } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id, noContent, page, pageOffset, pageRequest, resourceName, searchText, timestamp } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';
import { secondFactorCode } from './second-factors.js';

const request = requestsOf('platform-management', ['api-gateway']);

export const workspace = z.object({ id, name: z.string() });
export type Workspace = z.output<typeof workspace>;

/** A workspace of a user, with the role of the user. */
export const membership = workspace.extend({
  role: workspaceRole,
});

export const user = z.object({
  id,
  email: z.string(),
  operator: z.boolean(),
  workspaces: z.array(membership),
  created_at: timestamp,
});
export type User = z.output<typeof user>;

/** Lower-case hex SHA-256 of a session token. */
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * `ip` is the client's address. Failed attempts are counted per account and client; `device_token`, which the reply of an
 * earlier login contained, distinguishes devices of the account from others.
 */
export const createSession = request('create-session', {
  request: z.object({
    email: z.string().max(320),
    password: z.string().max(1024),
    code: secondFactorCode.optional().describe('Only for users with two-factor authentication.'),
    ip: z.string(),
    device_token: z.string().max(1024).optional(),
    user_agent: z.string().max(512).optional(),
  }),
  reply: z.object({ token: z.string(), expires_at: timestamp, device_token: z.string() }),
  refusals: { credentials_wrong: 401, second_factor_required: 401, too_many_attempts: 429, quota_reached: 409 },
  callers: ['operator'],
  deadlineMs: 10_000,
});
/** The reply to HTTP clients about a new session; the token of the device is in a cookie. */
export const createdSession = createSession.reply.omit({ device_token: true });

/** Returns the user of the session and the active workspace. The gateway enforces the role and the second factor. */
export const authenticateSession = request('authenticate-session', {
  request: z.object({ token_hash: tokenHash }),
  reply: z.object({
    user_id: id,
    email: z.string(),
    operator: z.boolean(),
    workspace_id: id,
    role: workspaceRole,
    quotas: quotaOverrides.optional().describe('What an operator has set for the workspace.'),
    second_factor_missing: z.boolean().optional().describe('Whether the user may only set up a second factor.'),
  }),
  refusals: { session_invalid: 401 },
  callers: ['operator'],
});

export const endSession = request('end-session', {
  request: z.object({ token_hash: tokenHash }),
  reply: noContent,
  callers: ['operator'],
});

/** A session as shown to its user. */
export const userSession = z.object({
  id,
  created_at: timestamp,
  last_used_at: timestamp.describe('At most a minute out of date.'),
  expires_at: timestamp.describe('When the session ends at the latest; without requests it ends earlier.'),
  client_address: z.string().describe('The IP address that signed in.'),
  user_agent: z.string().nullable().describe('Browser and system, or the program, in short form.'),
  current: z.boolean().describe('Whether the request was made with this session.'),
});
export type UserSession = z.output<typeof userSession>;

export const listSessions = request('list-sessions', {
  request: z.object({ user_id: id, token_hash: tokenHash }),
  reply: z.array(userSession),
  http: {
    operation: 'Sessions.listSessions',
    method: 'GET',
    path: '/sessions',
    access: 'session',
    fromCaller: { token_hash: 'tokenHash' },
    summary: 'List your sessions',
    description: 'The last used first.',
  },
});

export const endOneSession = request('end-one-session', {
  request: z.object({ user_id: id, session_id: id }),
  reply: noContent,
  refusals: { session_not_found: 404 },
  http: {
    operation: 'Sessions.endSession',
    method: 'DELETE',
    path: '/sessions/{session_id}',
    access: 'session',
    role: 'viewer',
    summary: 'Sign out one of your sessions',
  },
});

export const endAllSessions = request('end-all-sessions', {
  request: z.object({ user_id: id }),
  reply: z.object({ ended: z.int() }),
  http: {
    operation: 'Sessions.endAllSessions',
    method: 'DELETE',
    path: '/sessions',
    access: 'session',
    role: 'viewer',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions, including the one that asks. Platform keys and API keys stay valid.',
  },
});

export const getMe = request('get-me', {
  request: z.object({ user_id: id, workspace_id: id }),
  reply: user.extend({
    active_workspace: membership,
    service_mails: z.boolean().describe('Whether you get emails about failures in the workspaces that you own.'),
    status_mails: z
      .boolean()
      .describe(
        'Whether you get a daily email about workspaces that you own, on days on which something in them needs ' +
          'somebody.',
      ),
    second_factor_missing: z
      .boolean()
      .describe('Whether this installation requires a second factor and you have none.'),
  }),
  refusals: { user_not_found: 404 },
  http: {
    operation: 'Users.me',
    method: 'GET',
    path: '/me',
    access: 'session',
    withoutSecondFactor: true,
    summary: 'Get the signed-in user and the active workspace',
  },
});
export type Me = z.output<typeof getMe.reply>;

export const changeMe = request('change-me', {
  request: z.object({
    user_id: id,
    workspace_id: id,
    service_mails: z.boolean().optional().describe('Emails at the moment when something fails or works again.'),
    status_mails: z.boolean().optional().describe('The daily email about what needs somebody.'),
  }),
  reply: getMe.reply,
  refusals: { user_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'Users.changeMe',
    method: 'PATCH',
    path: '/me',
    access: 'session',
    role: 'viewer',
    summary: 'Turn email notifications about your services on or off',
    description:
      'Owners of a workspace get an email when a deployment fails, a web service stops answering, a database is nearly full, or a webhook keeps failing, and once a day if something needs somebody. Send at least one field. Emails about your account are always sent.',
  },
});

/** For operators only. Also creates a workspace for the user. */
export const createUser = request('create-user', {
  callers: ['operator'],
  request: z.object({
    actor_id: id,
    email: z.string().max(320),
    password: z.string().min(12, 'must have at least 12 characters').max(1024),
    operator: z.boolean().default(false),
    workspace_name: resourceName.optional(),
  }),
  reply: user,
  refusals: { not_an_operator: 403, invalid_input: 400, user_exists: 409, cell_closed: 409 },
  http: {
    operation: 'Users.createUser',
    method: 'POST',
    path: '/users',
    access: 'session',
    role: 'viewer',
    status: 201,
    summary: 'Create a user and their workspace (operators only)',
  },
  deadlineMs: 10_000,
});

export const listedUser = user.extend({ enabled: z.boolean(), second_factor: z.boolean().optional() });
export type ListedUser = z.output<typeof listedUser>;

export const listUsers = request('list-users', {
  request: pageRequest.extend({ actor_id: id, search: searchText.describe('Part of the email address.') }),
  reply: page(listedUser),
  refusals: { not_an_operator: 403 },
  http: {
    operation: 'Users.listUsers',
    method: 'GET',
    path: '/users',
    access: 'operator',
    narrowed: { offset: pageOffset },
    summary: 'List all users (operators only)',
    description: 'Newest first.',
  },
});

export const setUserEnabled = request('set-user-enabled', {
  request: z.object({ actor_id: id, id, enabled: z.boolean() }),
  reply: listedUser,
  refusals: { not_an_operator: 403, user_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'Users.setUserEnabled',
    method: 'PATCH',
    path: '/users/{id}',
    access: 'operator',
    summary: 'Disable or enable a user (operators only)',
    description:
      'The sessions of a disabled user end, and their platform keys are refused, at once. Web services, databases and API keys of email services keep running. The last operator cannot be disabled.',
  },
});

export const switchWorkspace = request('switch-workspace', {
  request: z.object({ token_hash: tokenHash, workspace_id: id }),
  reply: workspace,
  refusals: { session_invalid: 401, workspace_not_found: 404 },
  http: {
    operation: 'Session.switchWorkspace',
    method: 'POST',
    path: '/session/workspace',
    access: 'session',
    role: 'viewer',
    fromCaller: { token_hash: 'tokenHash' },
    fromBody: ['workspace_id'],
    summary: 'Switch to another workspace',
  },
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
    role: 'viewer',
    summary: 'Change your password',
  },
  deadlineMs: 10_000,
});
