import { z } from 'zod';
import { requestsOf } from '../request.js';
import { runtimeId } from './orders.js';

const request = requestsOf('runtime-agent', ['platform-management']);

const kind = z.enum(['relational', 'key_value']);
const ofDatabase = z.object({ database_id: runtimeId });

/** `missing` names the software that must be installed before databases of the kind can be created. */
export const findMissingTechnology = request('find-missing-technology', {
  request: z.object({ kind, version: z.string().optional() }),
  reply: z.object({ missing: z.string().nullable() }),
});

/** Where clients outside of the platform reach databases of the kind; `refusal` says why they cannot. One of both is null. */
export const findExternalHost = request('find-external-host', {
  request: z.object({ kind }),
  reply: z.object({ host: z.string().nullable(), refusal: z.string().nullable() }),
});

/** Reserves the address of a database. */
export const reserveDatabase = request('reserve-database', {
  request: ofDatabase.extend({ kind }),
  reply: z.object({ host: z.string(), port: z.int() }),
});

/** Whether the database responds now, and whether all connections of its plan are in use. */
export const checkDatabase = request('check-database', {
  request: ofDatabase,
  reply: z.object({ running: z.boolean(), busy: z.boolean() }),
  deadlineMs: 15_000,
});

/** `usage` is null for key-value stores and for databases that do not run. */
export const getDatabaseUsage = request('get-database-usage', {
  request: ofDatabase,
  reply: z.object({
    usage: z
      .object({
        cpu_millicores: z.number(),
        cpu_percent: z.number(),
        memory_bytes: z.number(),
        memory_percent: z.number(),
        storage_bytes: z.number(),
        server_version: z.string().optional().describe('The major version; absent if it cannot be read.'),
        ca_certificate: z.string().optional().describe('Of the authority that signs server certificates (PEM).'),
      })
      .nullable(),
  }),
});

const extensionName = z.string().max(63);

/** `extensions` is null if the database does not run. `username` is its owner, whose name it has. */
export const findDatabaseExtensions = request('find-database-extensions', {
  request: ofDatabase.extend({ username: z.string() }),
  reply: z.object({
    extensions: z
      .array(
        z.object({
          name: extensionName,
          version: z.string(),
          installed_version: z.string().nullable(),
          description: z.string().nullable(),
        }),
      )
      .nullable(),
  }),
  deadlineMs: 15_000,
});

/** `problem` is why the extension cannot be enabled; null if it is enabled. */
export const installDatabaseExtension = request('install-database-extension', {
  request: ofDatabase.extend({ username: z.string(), name: extensionName }),
  reply: z.object({ problem: z.string().nullable() }),
  deadlineMs: 45_000,
});

/** The times that a relational database can be recovered to, for each of its backups; null if it has none. */
export const findRecoveryTimes = request('find-recovery-times', {
  request: ofDatabase,
  reply: z.object({
    recovery: z
      .object({
        ranges: z.array(z.object({ backup_id: runtimeId, earliest: z.iso.datetime(), latest: z.iso.datetime() })),
        problem: z.string().optional(),
      })
      .nullable(),
  }),
  deadlineMs: 15_000,
});
