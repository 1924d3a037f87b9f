import { z } from 'zod';
import { autoscaling } from '../platform-management/autoscaling.js';
import { healthCheck } from '../platform-management/health-checks.js';
import { requestsOf } from '../request.js';
import { noContent } from '../shapes.js';
import { terminalSize } from './terminal-size.js';

const request = requestsOf('runtime-agent', ['platform-management']);

/** Ids that the control plane assigned; they are validated again in names of files and of Kubernetes objects. */
export const runtimeId = z.string().min(1).max(200);
const environment = z.record(z.string(), z.string());
/** Contents in base64, by path below /etc/secrets. */
const files = z.record(z.string(), z.string()).optional();
const milliseconds = z.int().min(1);

/** SHA-256 of a document's text in hexadecimal. */
export const documentDigest = z.string().regex(/^[0-9a-f]{64}$/);

const artefact = z.object({ reference: z.string(), commit: z.string() });

/** The first line of the message of a commit, and the name of its author; absent if unknown. */
const commitDescription = z.object({ subject: z.string().max(200), author: z.string().max(200) }).optional();

/** The credentials of git; absent for public repositories. */
const sourceCredentials = z.object({
  /** A key in the OpenSSH format, and the known host keys of the server, one line each. */
  ssh: z.object({ private_key: z.string(), known_hosts: z.string().optional() }).optional(),
  https: z.object({ username: z.string(), token: z.string() }).optional(),
});

/** One release of a web service, for its instances. Absent fields keep the defaults of the runtime. */
export const servicePlan = z.object({
  web_service_id: runtimeId,
  /** Web services of the same project reach each other by name; absent without such names. */
  project_id: runtimeId.optional(),
  name: z.string(),
  roll_id: runtimeId,
  artefact,
  start_command: z.string().optional(),
  port: z.int(),
  health_check_path: z.string().optional(),
  health_check: z.object(healthCheck.shape).optional(),
  /** How long the first byte of a response may take. */
  first_byte_seconds: z.int().optional(),
  min_instances: z.int(),
  max_instances: z.int(),
  /** Targets for instances between the two numbers. */
  autoscaling: z.object(autoscaling.shape).optional(),
  environment,
  files,
  secrets: z.array(z.string()),
  deadline_ms: milliseconds,
  /** The limits of each instance. */
  instance: z.object({ memory_mib: z.int(), cpu_millicores: z.int() }).optional(),
  /** How long an instance may finish its requests after SIGTERM. */
  drain_seconds: z.int().optional(),
  /** Runs once, with the environment of the release, before its instances start; its failure fails the rollout. */
  release_command: z.string().optional(),
  /** Instances of other process types of the Procfile, by name; they get no traffic. */
  processes: z.record(z.string(), z.int()).optional(),
  /** Persistent files; at most one instance runs at a time. */
  disk: z.object({ size_mib: z.int() }).optional(),
});

/** A command that is run once, with the artefact and environment of a release. */
export const runOrder = z.object({
  run_id: runtimeId,
  web_service_id: runtimeId,
  /** The instance name in its log lines. */
  instance: z.string(),
  artefact,
  command: z.string(),
  environment,
  files,
  secrets: z.array(z.string()),
  size: z.object({ memory_mib: z.int(), cpu_millicores: z.int() }).optional(),
  deadline_ms: milliseconds,
  /** The command runs in a terminal; `token_hash` is the SHA-256 of the token with which it may be used. */
  terminal: z.object({ token_hash: documentDigest, ...terminalSize.shape }).optional(),
});

const kindOfDatabase = z.enum(['relational', 'key_value']);

const limitsOfDatabase = z.object({
  cpu_millicores: z.number(),
  memory_bytes: z.number(),
  storage_bytes: z.number(),
  connections: z.number(),
});

/** Distinguishes these users from all others of a database. */
const attachmentUser = z.string().regex(/^attached_[0-9a-f]{32}$/);

/** Becomes part of the rules of a firewall and of PostgreSQL. */
const ipv4Network = z.cidrv4();

const databaseOrder = z.object({
  database_id: runtimeId,
  database_kind: kindOfDatabase,
  host: z.string(),
  port: z.int(),
  username: z.string(),
  password: z.string(),
  limits: limitsOfDatabase,
  /** Major version of a relational database; absent if the runtime chooses. */
  version: z.string().optional(),
  /** The web services that may connect. */
  attached_to: z.array(runtimeId).max(10_000),
  /** A user with the rights of the owner for each attachment. */
  attachment_users: z.array(z.object({ username: attachmentUser, password: z.string() })).max(10_000),
  /** The networks outside of the platform that may connect. */
  allowed_cidrs: z.array(ipv4Network).max(100),
});

/** SHA-256 of a backup, in hexadecimal. */
const backupDigest = z.string().regex(/^[0-9a-f]{64}$/);
const storedBackup = z.object({ size_bytes: z.int(), digest: backupDigest });

/**
 * The orders that the agent executes. Long lists of all objects of the platform are in documents, which the order
 * references by their digests.
 */
export const runtimeOrder = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('resolve_source'),
    /** Of a Git repository; or `docker://` and the reference of an image, like those of builds. */
    repository_url: z.string(),
    branch: z.string().optional(),
    credentials: sourceCredentials.optional(),
  }),
  z.object({
    kind: z.literal('build'),
    deployment_id: runtimeId,
    web_service_id: runtimeId,
    repository_url: z.string(),
    commit: z.string(),
    build_command: z.string().optional(),
    start_command: z.string().optional(),
    /** The folder of the repository that is built; the root folder if absent. */
    root_directory: z.string().optional(),
    /** How the Dockerfile is built, which must exist then. */
    dockerfile: z
      .object({
        path: z.string().optional(),
        target: z.string().optional(),
        build_arguments: z.record(z.string(), z.string()),
      })
      .optional(),
    clear_cache: z.boolean().optional(),
    /** The archive that is built instead of the commit; the agent reads it from platform-management. */
    upload: z.object({ id: z.uuid(), digest: documentDigest, size_bytes: z.int() }).optional(),
    environment,
    secrets: z.array(z.string()),
    credentials: sourceCredentials.optional(),
    deadline_ms: milliseconds,
    /** The instance name of the build output in the log of the service, and the values to mask in it. */
    output: z.object({ instance: z.string(), redact: z.array(z.string()) }),
  }),
  z.object({ kind: z.literal('roll_out'), plan: servicePlan }),
  z.object({ kind: z.literal('run_command'), run: runOrder }),
  z.object({ kind: z.literal('stop'), web_service_id: runtimeId }),
  z.object({ kind: z.literal('remove_web_service'), web_service_id: runtimeId }),
  /** The documents are one `servicePlan` each. */
  z.object({ kind: z.literal('reconcile'), plans: z.array(documentDigest), rolling: z.array(runtimeId) }),
  /** The documents are arrays of references. */
  z.object({ kind: z.literal('retain_artefacts'), references: z.array(documentDigest) }),
  databaseOrder.extend({ kind: z.literal('ensure_database') }),
  z.object({ kind: z.literal('remove_database'), database_id: runtimeId }),
  z.object({ kind: z.literal('enforce_database_storage'), database_id: runtimeId }),
  z.object({ kind: z.literal('back_up_database'), database_id: runtimeId, backup_id: runtimeId }),
  databaseOrder.extend({
    kind: z.literal('restore_database'),
    restore_id: runtimeId,
    backup_id: runtimeId,
    backup_digest: backupDigest,
    /** The database that the backup is of, if it is another one. */
    source_id: runtimeId.optional(),
    target_time: z.iso.datetime().optional(),
  }),
  z.object({
    kind: z.literal('retain_database_backups'),
    database_id: runtimeId,
    backup_ids: z.array(runtimeId).max(1_000),
  }),
  z.object({ kind: z.literal('back_up_disk'), web_service_id: runtimeId, backup_id: runtimeId }),
  z.object({
    kind: z.literal('restore_disk'),
    web_service_id: runtimeId,
    size_mib: z.int(),
    restore_id: runtimeId,
    backup_id: runtimeId,
    backup_digest: backupDigest,
  }),
  z.object({
    kind: z.literal('retain_disk_backups'),
    web_service_id: runtimeId,
    backup_ids: z.array(runtimeId).max(1_000),
  }),
  /** The documents are arrays of ids. */
  z.object({ kind: z.literal('retain_databases'), database_ids: z.array(documentDigest) }),
]);

export type RuntimeOrder = z.output<typeof runtimeOrder>;

/** The result of each kind of order. */
export const runtimeResult = {
  /**
   * `host_keys` after the first connection to an SSH server: lines for `known_hosts`. An image has no branch, and its
   * digest in place of the commit.
   */
  resolve_source: z.object({ branch: z.string().optional(), commit: z.string(), host_keys: z.string().optional() }),
  /** `port` is the lowest TCP port that an image exposes. */
  build: artefact.extend({ description: commitDescription, port: z.int().optional() }),
  back_up_database: storedBackup,
  back_up_disk: storedBackup,
  run_command: z.object({ exit_code: z.int().nullable(), reason: z.string().nullable() }),
  enforce_database_storage: z.object({ used_bytes: z.number(), read_only: z.boolean() }).nullable(),
} as const;

const orderId = z.object({ order_id: z.uuid() });

/**
 * Starts an order, or attaches to it; idempotent by id. If `missing` names documents, they must be sent first and nothing
 * was started. An order that is not awaited for 30 seconds is cancelled.
 */
export const startOrder = request('start-order', {
  request: orderId.extend({
    /** One process of the control plane. Its reconciliation cancels the orders of other processes. */
    client_id: z.uuid(),
    order: z.union([runtimeOrder, z.object({ kind: z.literal('document'), digest: documentDigest })]),
  }),
  reply: z.object({ missing: z.array(documentDigest) }),
});

/** Sends a document in parts of at most 131,072 UTF-16 units. */
export const putDocument = request('put-document', {
  request: z.object({
    digest: documentDigest,
    part: z.int().min(0).max(9_999),
    parts: z.int().min(1).max(10_000),
    text: z.string().max(131_072),
  }),
  reply: noContent,
});

export const orderFailure = z.object({
  kind: z.enum(['source_unavailable', 'build_failed', 'roll_failed', 'error']),
  message: z.string(),
  description: commitDescription,
});

/**
 * Waits until an order has ended, `wait_ms` at most. `unknown` orders must be started again: the agent was restarted, or it
 * cancelled them because they were not awaited.
 */
export const awaitOrder = request('await-order', {
  request: orderId.extend({ wait_ms: z.int().min(0).max(10_000) }),
  reply: z.discriminatedUnion('state', [
    z.object({ state: z.literal('unknown') }),
    z.object({ state: z.literal('running') }),
    z.object({ state: z.literal('cancelled') }),
    z.object({ state: z.literal('failed'), failure: orderFailure }),
    z.object({ state: z.literal('done'), result: z.unknown() }),
  ]),
  deadlineMs: 15_000,
});

/**
 * Requests the end of an order; `await-order` reports when it has ended. Orders to which another client is attached
 * continue.
 */
export const cancelOrder = request('cancel-order', {
  request: orderId.extend({ client_id: z.uuid() }),
  reply: noContent,
});

/** The digests of the documents that an order needs. */
export const documentsOf = (order: RuntimeOrder): readonly string[] => {
  if (order.kind === 'reconcile') return order.plans;
  if (order.kind === 'retain_artefacts') return order.references;
  return order.kind === 'retain_databases' ? order.database_ids : [];
};
