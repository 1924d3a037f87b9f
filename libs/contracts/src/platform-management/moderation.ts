import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, pageOffset, pageRequest, searchText, timestamp } from '../shapes.js';
import { webService } from './web-service.js';

const request = requestsOf('platform-management');

const reason = z.string().trim().min(1).max(1000);

const foundWebService = webService
  .pick({ id: true, name: true, url: true, status: true, blocked: true, suspended: true, flag_reason: true })
  .extend({ project_name: z.string(), workspace_id: id, workspace_name: z.string(), created_at: timestamp });
export type FoundWebService = z.output<typeof foundWebService>;

/** For operators: web services of all workspaces, newest first. */
export const findWebServices = request('find-web-services', {
  request: pageRequest.extend({
    actor_id: id,
    search: searchText.describe(
      'Part of the name of the web service or its workspace, the id of one of them, a URL, or a custom domain.',
    ),
  }),
  reply: page(foundWebService),
  refusals: { not_an_operator: 403 },
  http: {
    operation: 'Moderation.webServices',
    method: 'GET',
    path: '/moderation/web-services',
    access: 'operator',
    narrowed: { offset: pageOffset },
    summary: 'Find web services of all workspaces, newest first (operators only)',
  },
});

const foundWorkspace = z.object({
  id,
  name: z.string(),
  owners: z.array(z.string()).describe('The email addresses of at most ten owners.'),
  created_at: timestamp,
});
export type FoundWorkspace = z.output<typeof foundWorkspace>;

/** For operators: all workspaces, newest first. */
export const findWorkspaces = request('find-workspaces', {
  request: pageRequest.extend({
    actor_id: id,
    search: searchText.describe(
      'Part of the name of the workspace or of the email address of a member, or the id of one of them.',
    ),
  }),
  reply: page(foundWorkspace),
  refusals: { not_an_operator: 403 },
  http: {
    operation: 'Moderation.workspaces',
    method: 'GET',
    path: '/moderation/workspaces',
    access: 'operator',
    narrowed: { offset: pageOffset },
    summary: 'Find workspaces, newest first (operators only)',
  },
});

/** For operators, on any web service. Blocking and suspending stop it and cancel its deployment. */
export const moderateWebService = request('moderate-web-service', {
  request: z.object({
    actor_id: id,
    web_service_id: id,
    action: z.enum(['block', 'unblock', 'suspend', 'resume']),
    reason: reason.optional().describe('Required to block and to suspend.'),
  }),
  reply: webService,
  refusals: { not_an_operator: 403, web_service_not_found: 404, invalid_input: 400 },
  http: [
    {
      operation: 'Moderation.block',
      method: 'POST',
      path: '/web-services/{web_service_id}/block',
      access: 'operator',
      summary: 'Block a web service because of its content, and stop it (operators only)',
      fixed: { action: 'block' },
      narrowed: { reason },
    },
    {
      operation: 'Moderation.unblock',
      method: 'POST',
      path: '/web-services/{web_service_id}/unblock',
      access: 'operator',
      summary: 'Unblock a web service; it stays stopped until it is started (operators only)',
      fixed: { action: 'unblock' },
      narrowed: { reason: reason.optional() },
      bodyOptional: true,
    },
    {
      operation: 'Moderation.suspend',
      method: 'POST',
      path: '/web-services/{web_service_id}/suspend',
      access: 'operator',
      summary: 'Suspend a web service because of its bandwidth, and stop it (operators only)',
      fixed: { action: 'suspend' },
      narrowed: { reason: reason.default('The bandwidth limit was exceeded.') },
      bodyOptional: true,
    },
    {
      operation: 'Moderation.resume',
      method: 'POST',
      path: '/web-services/{web_service_id}/resume',
      access: 'operator',
      summary: 'End a suspension; the web service stays stopped until it is started (operators only)',
      fixed: { action: 'resume' },
      narrowed: { reason: reason.optional() },
      bodyOptional: true,
    },
  ],
});
export type ModerationAction = z.input<typeof moderateWebService.request>['action'];
