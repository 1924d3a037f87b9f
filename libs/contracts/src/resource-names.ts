import { z } from 'zod';
import type { AuditEntry } from './platform-management/audit-log.js';
import { requestsOf } from './request.js';
import type { ServiceName } from './service-name.js';
import { id } from './shapes.js';

/** Entries that an export of the audit log reads at once. */
const MAX_IDS = 500;

/** The names of resources of one service, for entries of the audit log, which are stored with ids only. */
const nameResources = (service: ServiceName, name: string) =>
  requestsOf(service, ['api-gateway', 'operator'])(name, {
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

/** The requests for names that platform-management, which has the audit log, does not know. */
export const NAME_RESOURCES = [nameEmailResources, nameWebhooks];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A refused call may have named a resource of another workspace, whose name its caller must not see. */
const isUnnamed = ({ outcome, resource: { id, name } }: AuditEntry): boolean =>
  outcome === 'succeeded' && !name && id !== null && UUID.test(id);

/** The ids for `NAME_RESOURCES`, each once. */
export const unnamedResourcesOf = (entries: readonly AuditEntry[]): string[] => [
  ...new Set(entries.filter(isUnnamed).map(({ resource }) => resource.id as string)),
];

/** Entries with the names that the services have returned. */
export const withResourceNames = <Entry extends AuditEntry>(
  entries: readonly Entry[],
  replies: readonly { readonly resources: readonly { readonly id: string; readonly name: string }[] }[],
): Entry[] => {
  const names = new Map(replies.flatMap(({ resources }) => resources.map(({ id, name }) => [id, name] as const)));
  return entries.map(entry => {
    const name = isUnnamed(entry) ? names.get(entry.resource.id as string) : undefined;
    return name === undefined ? entry : { ...entry, resource: { ...entry.resource, name } };
  });
};
