import { listEmailRequests, workspaceStatus } from '@postern/contracts';
import { z } from 'zod';
import type { Context } from '../configuration/context.js';
import type { LoggedRequest, Page, WorkspaceStatus } from '../dashboard-api.js';
import { emailServiceNamed, IN_FIELD } from '../email-services.js';
import { type RegisteredTool, tool } from './tool.js';

/** Tools for the whole workspace, for a context with a session. */
export const workspaceTools = (context: Context): readonly RegisteredTool[] => [
  tool({
    name: 'get_status',
    description:
      'Get what is wrong in the workspace: failed deployments, crashing web services, failing webhooks, unverified domains, limits and full databases, each with what to do. Call this first when something does not work.',
    effect: 'reads',
    writtenBy: 'the programs of web services and the webhook endpoints of the workspace',
    input: z.object({}),
    output: workspaceStatus,
    run: () => context.dashboard().get<WorkspaceStatus>('/status'),
  }),
  tool({
    name: 'list_requests',
    description:
      'List requests that programs have sent to the email API with the keys of an email service, also refused ones, with the error and the body without contents. Use it to find out why a request failed.',
    effect: 'reads',
    writtenBy: 'the programs that call the API',
    input: z.object({
      service: z.string().optional().describe('Id or name of the email service; required if there are several.'),
      request_id: z.string().max(128).optional().describe('The X-Request-Id of a response.'),
      outcome: z.enum(['succeeded', 'refused', 'failed']).optional(),
      code: z.string().max(100).optional().describe('The Error-Code of a response.'),
      limit: z.int().min(1).max(100).default(20),
    }),
    output: listEmailRequests.reply,
    run: async ({ service, ...query }) => {
      const dashboard = context.dashboard();
      const { id } = await emailServiceNamed(dashboard, service, IN_FIELD);
      return dashboard.get<Page<LoggedRequest>>(`/email-services/${id}/requests`, { query });
    },
  }),
];
