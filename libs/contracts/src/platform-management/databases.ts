import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, timestamp } from '../shapes.js';
import { DATABASE, DATABASE_WITH_USAGE, onePageOf } from './examples.js';
import { resourceName } from './projects.js';

const request = requestsOf('platform-management');

export const databaseKind = z.enum(['relational', 'key_value']);
export const databaseStatus = z.enum(['creating', 'running', 'unavailable', 'failed', 'deleting']);

/** Without URL and credentials. */
export const database = z.object({
  id,
  name: z.string(),
  kind: databaseKind,
  status: databaseStatus,
  status_reason: z.string().nullable(),
  plan: z.string(),
  limits: z.object({
    cpu_millicores: z.int(),
    memory_bytes: z.int(),
    storage_bytes: z.int(),
    connections: z.int(),
  }),
  hostnames: z.array(z.string()),
  created_at: timestamp,
});
export type Database = z.output<typeof database>;

export const databaseUsage = z.object({
  cpu: z.object({ millicores: z.number(), percent: z.number() }),
  memory: z.object({ bytes: z.int(), percent: z.number() }),
});

/** Oldest first. */
export const listDatabases = request('list-databases', {
  request: z.object({
    workspace_id: id,
    limit: z.int().min(1).max(100).default(50),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  reply: page(database),
  http: {
    operation: 'Databases.list',
    method: 'GET',
    path: '/databases',
    access: ['platform-key', 'session'],
    summary: 'List relational databases and key-value stores, oldest first',
    examples: { reply: onePageOf(DATABASE, 50) },
  },
});

/** `usage` is null for a key-value store and for a database that is not running. */
export const getDatabase = request('get-database', {
  request: z.object({ workspace_id: id, database_id: id }),
  reply: database.extend({ usage: databaseUsage.nullable() }),
  refusals: { database_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'Databases.get',
    method: 'GET',
    path: '/databases/{database_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a database with its current usage',
    examples: { reply: DATABASE_WITH_USAGE },
  },
});
export type DatabaseWithUsage = z.output<typeof getDatabase.reply>;

export const databaseInput = z.strictObject({
  name: resourceName,
  kind: databaseKind,
  plan: z.string().min(1).max(50).default('starter'),
});

/**
 * The URL with the credentials is returned only in this reply. It works once the status is `running`. The message of
 * `technology_missing` names what to install.
 */
export const createDatabase = request('create-database', {
  request: databaseInput.extend({ workspace_id: id }),
  reply: database.extend({ connection_url: z.string() }),
  refusals: { invalid_input: 400, technology_missing: 409, runtime_unavailable: 503, quota_reached: 409 },
  http: {
    operation: 'Databases.create',
    method: 'POST',
    path: '/databases',
    access: 'session',
    status: 201,
    summary: 'Create a database; the URL with its credentials is shown only in this reply',
  },
});
export type CreatedDatabase = z.output<typeof createDatabase.reply>;

/** Stops the database and deletes its data. */
export const deleteDatabase = request('delete-database', {
  request: z.object({ workspace_id: id, database_id: id }),
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: { database_not_found: 404 },
  http: {
    operation: 'Databases.delete',
    method: 'DELETE',
    path: '/databases/{database_id}',
    access: 'session',
    summary: 'Stop a database and delete its data',
  },
});
