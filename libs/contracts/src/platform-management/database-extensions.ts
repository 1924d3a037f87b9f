import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { EXTENSION } from './examples.js';

const request = requestsOf('platform-management');

const ofDatabase = z.object({ workspace_id: id, database_id: id.describe('Id of the database.') });

export const databaseExtension = z.object({
  name: z.string().describe('Name of the extension, as in `CREATE EXTENSION`.'),
  version: z.string().describe('The version on the machine of the platform.'),
  installed_version: z.string().nullable().describe('The version in the database; null if it is not enabled.'),
  description: z.string().nullable().describe('What it is for, in the words of its authors.'),
});
export type DatabaseExtension = z.output<typeof databaseExtension>;

/** A key that is restricted to projects sees no databases. */
export const listDatabaseExtensions = request('list-database-extensions', {
  request: ofDatabase.extend({ project_ids: z.array(id).optional() }),
  reply: z.array(databaseExtension),
  refusals: { database_not_found: 404, database_not_running: 409, runtime_unavailable: 503 },
  deadlineMs: 20_000,
  http: {
    operation: 'DatabaseExtensions.list',
    method: 'GET',
    path: '/databases/{database_id}/extensions',
    access: ['platform-key', 'session'],
    summary: 'List the extensions of PostgreSQL that a database has or can enable, by name',
    description: 'Empty for a key-value store. Which extensions there are depends on the machine of the platform.',
    examples: { reply: [EXTENSION] },
  },
});

/** Repeating it changes nothing. The message of `extension_not_available` names the missing package, if it is known. */
export const enableDatabaseExtension = request('enable-database-extension', {
  request: ofDatabase.extend({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be the name of an extension, such as vector or uuid-ossp')
      .describe('Name of the extension, such as `vector`.'),
  }),
  reply: databaseExtension,
  refusals: {
    database_not_found: 404,
    database_not_running: 409,
    extension_not_available: 409,
    runtime_unavailable: 503,
  },
  deadlineMs: 50_000,
  http: {
    operation: 'DatabaseExtensions.enable',
    method: 'POST',
    path: '/databases/{database_id}/extensions',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Enable an extension of PostgreSQL in a relational database',
    description:
      'Also enables extensions that need a superuser, such as `postgis`. These are in the schema `extensions`, which new connections search.',
    examples: { body: { name: EXTENSION.name }, reply: EXTENSION },
  },
});
