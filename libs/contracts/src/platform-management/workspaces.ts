import { z } from 'zod';
import { quotaChanges, workspaceQuotas } from '../quotas.js';
import { requestsOf } from '../request.js';
import { id, resourceName } from '../shapes.js';
import { workspace } from './accounts.js';

const request = requestsOf('platform-management', ['api-gateway']);

export const createWorkspace = request('create-workspace', {
  request: z.object({ user_id: id, name: resourceName }),
  reply: workspace,
  refusals: { user_not_found: 404, invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'Users.createWorkspace',
    method: 'POST',
    path: '/workspaces',
    access: 'session',
    role: 'viewer',
    status: 201,
    summary: 'Create a workspace',
  },
});

export const changeWorkspace = request('change-workspace', {
  request: z.object({ actor_id: id, id, name: resourceName }),
  reply: workspace,
  refusals: { workspace_not_found: 404, role_insufficient: 403, invalid_input: 400 },
  http: {
    operation: 'Workspaces.change',
    method: 'PATCH',
    path: '/workspaces/{id}',
    access: 'workspace-member',
    role: 'owner',
    summary: 'Change the name of a workspace',
  },
});

export const deleteWorkspace = request('delete-workspace', {
  request: z.object({ actor_id: id, id }),
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: { workspace_not_found: 404, role_insufficient: 403, workspace_not_empty: 409 },
  http: {
    operation: 'Workspaces.remove',
    method: 'DELETE',
    path: '/workspaces/{id}',
    access: 'workspace-member',
    role: 'owner',
    summary: 'Delete an empty workspace with its members and platform keys; this cannot be undone',
    description:
      'Refused while the workspace has projects, web services, databases or email services. Afterwards its platform keys are rejected, and sessions in it end, including yours. Its audit log is kept until the end of its retention.',
  },
  deadlineMs: 10_000,
});

/** Whether a workspace was deleted; replies once no deletion of it is in progress. */
export const getWorkspaceState = request('get-workspace-state', {
  request: z.object({ workspace_id: id }),
  reply: z.object({ deleted: z.boolean() }),
  callers: ['email-send'],
});

/** For members and operators. The gateway adds the use of `email_services` from email-send. */
export const getWorkspaceQuotas = request('get-workspace-quotas', {
  request: z.object({ actor_id: id, id }),
  reply: workspaceQuotas,
  refusals: { workspace_not_found: 404 },
  http: {
    operation: 'Workspaces.quotas',
    method: 'GET',
    path: '/workspaces/{id}/quotas',
    access: 'session',
    operatorsReachAll: true,
    summary: 'Get the use and the limit of each quota of a workspace',
  },
});

/** For operators. Absent quotas are not changed; resources that exceed a lower limit are kept. */
export const setWorkspaceQuotas = request('set-workspace-quotas', {
  request: z.object({ actor_id: id, id, quotas: quotaChanges }),
  reply: workspaceQuotas,
  refusals: { not_an_operator: 403, workspace_not_found: 404 },
  http: {
    operation: 'Workspaces.setQuotas',
    method: 'PATCH',
    path: '/workspaces/{id}/quotas',
    access: 'operator',
    bodyField: 'quotas',
    summary: 'Set quotas of any workspace; null returns to the default (operators only)',
    description: 'What exceeds a lower limit stays; only creations are refused.',
  },
});
