import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { ATTACHMENT } from './examples.js';
import { deletion, variableKey } from './variables.js';

const request = requestsOf('platform-management');

const ofDatabase = z.object({ user_id: id, workspace_id: id, database_id: id.describe('Id of the database.') });

/** Without the connection URL, which only instances of the web service receive. */
export const databaseAttachment = z.object({
  id: id.describe('Id of the attachment.'),
  database_id: id.describe('Id of the database.'),
  web_service_id: id.describe('Id of the web service.'),
  variable: z.string().describe('The environment variable with the connection URL.'),
  created_at: timestamp.describe('When it was attached.'),
});
export type DatabaseAttachment = z.output<typeof databaseAttachment>;

export const attachDatabase = request('attach-database', {
  request: ofDatabase.extend({
    web_service_id: id.describe('A web service of the same workspace.'),
    variable: variableKey.optional().describe('`DATABASE_URL` if absent, `REDIS_URL` for a key-value store.'),
  }),
  reply: databaseAttachment,
  refusals: { database_not_found: 404, web_service_not_found: 404, variable_reserved: 400, variable_in_use: 409 },
  http: {
    operation: 'DatabaseAttachments.create',
    method: 'POST',
    path: '/databases/{database_id}/attachments',
    access: ['platform-key', 'session'],
    status: 201,
    summary:
      'Inject the connection URL of a database into a web service as an environment variable, from its next start',
    description: 'The variable takes effect at the next start, restart or deployment of the web service.',
    examples: { body: { web_service_id: ATTACHMENT.web_service_id }, reply: ATTACHMENT },
  },
});

/** Oldest first. */
export const listDatabaseAttachments = request('list-database-attachments', {
  request: ofDatabase,
  reply: z.array(databaseAttachment.extend({ web_service_name: z.string().describe('Name of the web service.') })),
  refusals: { database_not_found: 404 },
  http: {
    operation: 'DatabaseAttachments.list',
    method: 'GET',
    path: '/databases/{database_id}/attachments',
    access: ['platform-key', 'session'],
    summary: 'List the web services that a database is attached to',
    description: 'A platform key needs the operation `databases:write` for it.',
    examples: { reply: [{ ...ATTACHMENT, web_service_name: 'storefront' }] },
  },
});
export type NamedDatabaseAttachment = z.output<typeof listDatabaseAttachments.reply>[number];

export const detachDatabase = request('detach-database', {
  request: ofDatabase.extend({ attachment_id: id.describe('Id of the attachment.') }),
  reply: deletion,
  refusals: { database_not_found: 404, attachment_not_found: 404 },
  http: {
    operation: 'DatabaseAttachments.remove',
    method: 'DELETE',
    path: '/databases/{database_id}/attachments/{attachment_id}',
    access: ['platform-key', 'session'],
    summary: 'Detach a database from a web service; takes effect at its next start',
    description: 'Connections of the web service end; its variable is gone at the next start, restart or deployment.',
    examples: { reply: { id: ATTACHMENT.id, deleted: true } },
  },
});
