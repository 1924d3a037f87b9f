import { z } from 'zod';
import type { NatsUser } from './service-name.js';

/**
 * Where a process says that resources have changed, for pages that show them. It is a hint: a message may be lost, and a page
 * then shows the change when it asks again by itself.
 */
export const changesOf = (user: NatsUser | '*'): string => `postern.changes.${user}`;

/** A resource: `web-services/<id>`, `email-services/<id>`, `databases/<id>`, or `workspaces/<id>` for everything in it. */
const topic = z.string().regex(/^(web-services|email-services|databases|workspaces)\/[0-9a-f-]{36}$/);

export const changeNotice = z.object({ topics: z.array(topic).max(500) });

const FIELDS = [
  ['web_service_id', 'web-services'],
  ['service_id', 'email-services'],
  ['database_id', 'databases'],
  ['workspace_id', 'workspaces'],
] as const;

/** The resources that the data of an event are about. */
export const topicsOf = (data: unknown): string[] => {
  if (typeof data !== 'object' || data === null) return [];
  const fields = data as Readonly<Record<string, unknown>>;
  return FIELDS.flatMap(([field, kind]) => {
    const id = fields[field];
    return typeof id === 'string' && id.length === UUID_LENGTH ? [`${kind}/${id}`] : [];
  });
};

const UUID_LENGTH = 36;
