import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, resourceName, timestamp } from '../shapes.js';
import { CREATED_DATABASE, DATABASE, DATABASE_WITH_USAGE, NEW_DATABASE, onePageOf } from './examples.js';
import { externalAccess } from './external-access.js';
import { deletion } from './variables.js';

const request = requestsOf('platform-management');

export const databaseKind = z.enum(['relational', 'key_value']);
export const databaseStatus = z.enum(['creating', 'running', 'unavailable', 'failed', 'deleting']);

/** Without URL and credentials. */
export const database = z.object({
  id: id.describe('Id of the database.'),
  name: z.string().describe('Name of the database.'),
  kind: databaseKind.describe('`relational` for PostgreSQL, `key_value` for a key-value store.'),
  status: databaseStatus.describe('Clients can connect while it is `running`.'),
  status_reason: z.string().nullable().describe('Why the database is unavailable or failed; otherwise null.'),
  plan: z.string().describe('Name of the plan, which sets the limits.'),
  limits: z
    .object({
      cpu_millicores: z.int().nonnegative().describe('Maximum CPU, in thousandths of a core.'),
      memory_bytes: z.int().nonnegative().describe('Maximum memory.'),
      storage_bytes: z.int().nonnegative().describe('Maximum size of the data.'),
      connections: z.int().nonnegative().describe('Maximum number of connections at the same time.'),
    })
    .describe('Limits of the plan.'),
  hostnames: z.array(z.string()).describe('Hosts that clients connect to.'),
  created_at: timestamp.describe('When the database was created.'),
});
export type Database = z.output<typeof database>;

export const databaseUsage = z.object({
  cpu: z
    .object({
      millicores: z.number().nonnegative().describe('Thousandths of a core.'),
      percent: z.number().nonnegative().describe('Percentage of the limit.'),
    })
    .describe('Current CPU usage.'),
  memory: z
    .object({
      bytes: z.int().nonnegative().describe('Bytes in use.'),
      percent: z.number().nonnegative().describe('Percentage of the limit.'),
    })
    .describe('Current memory usage.'),
  storage: z
    .object({
      bytes: z.int().nonnegative().describe('Size of the files.'),
      percent: z.number().nonnegative().describe('Percentage of the limit.'),
    })
    .describe('Current size of the data and its log.'),
});

/** How clients connect, without the password. */
export const databaseConnection = z.object({
  host: z.string().describe('Only attached web services and the machine of the platform can reach it.'),
  port: z.int().describe('Port that the database listens on.'),
  username: z.string().describe('The user that owns the data.'),
  database: z.string().nullable().describe('Name of the database inside the server; null for a key-value store.'),
  ca_certificate: z
    .string()
    .nullable()
    .describe(
      'Certificate (PEM) of the authority that signs the certificate of the server, for `sslmode=verify-full`. Null for a key-value store, which has no TLS, and if the database is not running.',
    ),
});

/** The times that a relational database can be recovered to, by a new database. */
export const databaseRecovery = z.object({
  earliest: timestamp.nullable().describe('The oldest `target_time`; null if there is no backup to begin with.'),
  latest: timestamp.nullable().describe('The newest `target_time`; null if there is no backup to begin with.'),
  problem: z.string().nullable().describe('Why not every time until now is possible; null if it is.'),
});

/** Oldest first. */
export const listDatabases = request('list-databases', {
  request: z.object({
    workspace_id: id,
    project_ids: z.array(id).optional().describe('A key that is restricted to projects sees no databases.'),
    limit: z.int().min(1).max(100).default(50).describe('Maximum number of databases on the page.'),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe('Number of databases to skip.'),
  }),
  reply: page(database),
  http: {
    operation: 'Databases.list',
    method: 'GET',
    path: '/databases',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List relational databases and key-value stores, oldest first',
    description: 'Never returns connection URLs or credentials.',
    examples: { reply: onePageOf(DATABASE, 50) },
  },
});

/** `usage` is null for a key-value store and for a database that is not running. */
export const getDatabase = request('get-database', {
  request: z.object({
    workspace_id: id,
    project_ids: z.array(id).optional(),
    database_id: id.describe('Id of the database.'),
  }),
  reply: database.extend({
    usage: databaseUsage.nullable().describe('Null for a key-value store, and if the database is not running.'),
    connection: databaseConnection
      .nullable()
      .optional()
      .describe('Null if the database could not be created, or is being deleted.'),
    server_version: z
      .string()
      .nullable()
      .optional()
      .describe('Major version of the server, such as `15`. Null for a key-value store, and if it is not running.'),
    external_access: externalAccess.describe('Whether clients outside of the platform can connect.'),
    recovery: databaseRecovery
      .nullable()
      .describe('Null for a key-value store, and while the database is being created or deleted.'),
  }),
  refusals: { database_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'Databases.get',
    method: 'GET',
    path: '/databases/{database_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a database with its current usage',
    description: 'Never returns the connection URL or credentials.',
    examples: { reply: DATABASE_WITH_USAGE },
  },
});
export type DatabaseWithUsage = z.output<typeof getDatabase.reply>;

const restoreFrom = z
  .strictObject({
    database_id: id.describe('Id of a database of the workspace.'),
    backup_id: id.optional().describe('Id of one of its completed backups.'),
    target_time: z.iso
      .datetime()
      .optional()
      .describe('A time in UTC between `recovery.earliest` and `recovery.latest` of a relational database.'),
  })
  .refine(
    ({ backup_id, target_time }) => (backup_id === undefined) !== (target_time === undefined),
    'needs backup_id or target_time, and not both',
  );

export const databaseInput = z.strictObject({
  name: resourceName.describe('Name of the database, 1 to 100 characters.'),
  kind: databaseKind.describe('A relational database or a key-value store.'),
  plan: z.string().min(1).max(50).default('starter').describe('Name of the plan, which sets the limits.'),
  version: z
    .string()
    .regex(/^[1-9][0-9]$/, 'must be a major version of PostgreSQL, such as 17')
    .optional()
    .describe(
      'Major version of PostgreSQL of a relational database, such as `17`. By default, that which the machine of the platform prefers.',
    ),
  restore_from: restoreFrom
    .optional()
    .describe(
      'Creates the database with the data of another one: of its backup, or of a point in time. Kind and version are those of the other one, and the plan stores at least as much.',
    ),
});

const connectionUrl = z.string().describe('The URL with the credentials. It is never shown again.');

const creationRefusals = {
  invalid_input: 400,
  technology_missing: 409,
  runtime_unavailable: 503,
  quota_reached: 409,
  workspace_not_found: 404,
  database_not_found: 404,
  backup_not_found: 404,
  backup_not_completed: 409,
  target_time_unavailable: 409,
} as const;

/** For platform keys, which never get the URL: a web service gets it by an attachment. */
export const provisionDatabase = request('provision-database', {
  request: databaseInput.extend({ workspace_id: id }),
  reply: database,
  refusals: creationRefusals,
  http: {
    operation: 'Databases.create',
    operationId: 'createDatabase',
    method: 'POST',
    path: '/databases',
    access: 'platform-key',
    status: 201,
    summary: 'Create a database',
    description: 'Never returns the connection URL: attach a web service, which gets it in a variable.',
    examples: { body: NEW_DATABASE, reply: { ...DATABASE, status: 'creating' } },
  },
});

/**
 * The URL with the credentials is returned only in this reply. It works once the status is `running`. The message of
 * `technology_missing` names the missing software.
 */
export const createDatabase = request('create-database', {
  request: databaseInput.extend({ workspace_id: id }),
  reply: database.extend({ connection_url: connectionUrl }),
  refusals: creationRefusals,
  http: {
    operation: 'Databases.create',
    method: 'POST',
    path: '/databases',
    access: 'session',
    status: 201,
    summary: 'Create a database; the URL with its credentials is shown only in this reply',
    description: 'Poll the database until its status is `running`; the URL works from then on.',
    examples: { body: NEW_DATABASE, reply: CREATED_DATABASE },
  },
});
export type CreatedDatabase = z.output<typeof createDatabase.reply>;

/** The URL is returned only in this reply, and works once the reply has arrived, unless the database is not running. */
export const rotateDatabase = request('rotate-database', {
  request: z.object({ workspace_id: id, database_id: id.describe('Id of the database.') }),
  reply: database.extend({
    connection_url: connectionUrl,
    external_connection_url: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The URL with the credentials for clients outside of the platform; null unless `external_access` is enabled.',
      ),
    restarting: z.array(id).describe('Attached web services that run, which are restarted with the new URL.'),
  }),
  refusals: { database_not_found: 404, database_not_running: 409 },
  deadlineMs: 20_000,
  http: {
    operation: 'Databases.rotate',
    method: 'POST',
    path: '/databases/{database_id}/rotate',
    access: 'session',
    summary: 'Replace the password of a database; the URL with the new one is shown only in this reply',
    description:
      'The old password cannot be used for new connections; existing ones stay open. Running web services that are attached are restarted immediately.',
    examples: { reply: { ...CREATED_DATABASE, status: 'running', restarting: [] } },
  },
});
export type RotatedDatabase = z.output<typeof rotateDatabase.reply>;

/** Stops the database and deletes its data, backups and attachments. */
export const deleteDatabase = request('delete-database', {
  request: z.object({ workspace_id: id, database_id: id.describe('Id of the database.') }),
  reply: deletion,
  refusals: { database_not_found: 404 },
  http: {
    operation: 'Databases.delete',
    method: 'DELETE',
    path: '/databases/{database_id}',
    access: ['platform-key', 'session'],
    summary: 'Stop a database and delete its data, backups and attachments',
    description: 'Attached web services lose the database immediately.',
    examples: { reply: { id: DATABASE.id, deleted: true } },
  },
});
