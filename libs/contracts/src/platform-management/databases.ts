import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, timestamp } from '../shapes.js';
import { resourceName } from './projects.js';

const request = requestsOf('platform-management');

export const databaseKind = z.enum(['relational', 'key_value']);
export const databaseStatus = z.enum(['creating', 'running', 'unavailable', 'failed', 'deleting']);

/** Never with a URL or credentials. */
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
});

/** `usage` is null for a key-value store and for one that does not run. */
export const getDatabase = request('get-database', {
  request: z.object({ workspace_id: id, database_id: id }),
  reply: database.extend({ usage: databaseUsage.nullable() }),
  refusals: { database_not_found: 404, runtime_unavailable: 503 },
});

export const databaseInput = z.strictObject({
  name: resourceName,
  kind: databaseKind,
  plan: z.string().min(1).max(50).default('starter'),
});

/**
 * The URL with the credentials is answered here and nowhere else. It works once the status is `running`.
 * `technology_missing` says what has to be installed.
 */
export const createDatabase = request('create-database', {
  request: databaseInput.extend({ workspace_id: id }),
  reply: database.extend({ connection_url: z.string() }),
  refusals: { invalid_input: 400, technology_missing: 409, runtime_unavailable: 503 },
});

/** Stops the database and deletes its data. */
export const deleteDatabase = request('delete-database', {
  request: z.object({ workspace_id: id, database_id: id }),
  reply: z.object({ id, deleted: z.literal(true) }),
  refusals: { database_not_found: 404 },
});
