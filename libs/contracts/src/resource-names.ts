import { z } from 'zod';
import { requestsOf } from './request.js';
import type { ServiceName } from './service-name.js';
import { id } from './shapes.js';

/** Entries that an export of the audit log reads at once. */
const MAX_IDS = 500;

/** The names of resources of one service, for entries of the audit log, which are stored with ids only. */
const nameResources = (service: ServiceName, name: string) =>
  requestsOf(service, ['api-gateway'])(name, {
    request: z.object({ ids: z.array(id).max(MAX_IDS) }),
    reply: z.object({
      resources: z
        .array(z.object({ id, name: z.string() }))
        .describe('Those that the service has, with the present name or the one at its creation.'),
    }),
    deadlineMs: 2_000,
  });

export const nameEmailResources = nameResources('email-send', 'name-email-resources');
export const nameWebhooks = nameResources('webhook-dispatch', 'name-webhooks');
