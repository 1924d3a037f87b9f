import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { type RuntimeOrder, type runOrder, servicePlan } from '@postern/contracts';
import {
  DatabaseBackups,
  type DatabaseOrder,
  type DatabaseRestore,
  DatabaseRuntime,
  DatabaseStorage,
  type RunOrder,
  Runtime,
  type ServicePlan,
  type SourceCredentials,
} from '@postern/runtime';
import { z } from 'zod';
import { OrderDocuments } from './order-documents.js';

const listOfTexts = z.array(z.string());

type PlanOnTheWire = z.output<typeof servicePlan>;

/** Carries out orders with the runtimes of this process. */
@Injectable()
export class OrderExecution {
  /** Runs work outside the async context of the request, because what an order starts outlives the request. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot();

  constructor(
    private readonly runtime: Runtime,
    private readonly databases: DatabaseRuntime,
    private readonly storage: DatabaseStorage,
    private readonly backups: DatabaseBackups,
    private readonly documents: OrderDocuments,
  ) {}

  /** @throws the errors of `Runtime` and `DatabaseRuntime`. */
  async run(order: RuntimeOrder, signal: AbortSignal): Promise<unknown> {
    switch (order.kind) {
      case 'resolve_source':
        return this.#resolveSource(order, signal);
      case 'build':
        return this.#build(order, signal);
      case 'roll_out':
        return this.#outsideRequests(() => this.runtime.roll(planOf(order.plan), signal));
      case 'run_command': {
        const { exitCode, reason } = await this.#outsideRequests(() => this.runtime.run(runOf(order.run), signal));
        return { exit_code: exitCode, reason };
      }
      case 'stop':
        return this.runtime.stop(order.web_service_id);
      case 'remove_web_service':
        return this.runtime.remove(order.web_service_id);
      case 'reconcile': {
        const plans = order.plans.map(digest => planOf(servicePlan.parse(this.documents.read(digest))));
        return this.#outsideRequests(() => this.runtime.reconcile(plans, new Set(order.rolling)));
      }
      case 'retain_artefacts':
        return this.runtime.retainArtefacts(this.#texts(order.references));
      case 'ensure_database':
        return this.#outsideRequests(() => this.databases.ensure(databaseOrderOf(order)));
      case 'remove_database':
        return this.databases.remove(order.database_id);
      case 'enforce_database_storage': {
        const state = await this.storage.enforceStorage(order.database_id);
        return state ? { used_bytes: state.usedBytes, read_only: state.readOnly } : null;
      }
      case 'back_up_database': {
        const { sizeBytes, digest } = await this.backups.backUp(order.database_id, order.backup_id, signal);
        return { size_bytes: sizeBytes, digest };
      }
      case 'restore_database':
        return this.#outsideRequests(() => this.backups.restore(restoreOf(order), signal));
      case 'retain_database_backups':
        return this.backups.retainBackups(order.database_id, new Set(order.backup_ids));
      case 'retain_databases':
        return this.databases.retain(this.#texts(order.database_ids));
    }
  }

  async #resolveSource(order: Extract<RuntimeOrder, { kind: 'resolve_source' }>, signal: AbortSignal) {
    const source = { repositoryUrl: order.repository_url, branch: order.branch, credentials: credentialsOf(order) };
    const { hostKeys: host_keys, ...resolved } = await this.runtime.resolveSource(source, signal);
    return { ...resolved, host_keys };
  }

  async #build(order: Extract<RuntimeOrder, { kind: 'build' }>, signal: AbortSignal): Promise<unknown> {
    const output = this.runtime.logWriter(order.web_service_id, order.output.instance, order.output.redact);
    try {
      return await this.runtime.build(
        {
          deploymentId: order.deployment_id,
          webServiceId: order.web_service_id,
          repositoryUrl: order.repository_url,
          commit: order.commit,
          buildCommand: order.build_command,
          clearCache: order.clear_cache,
          upload: order.upload && {
            id: order.upload.id,
            digest: order.upload.digest,
            sizeBytes: order.upload.size_bytes,
          },
          startCommand: order.start_command,
          rootDirectory: order.root_directory,
          environment: order.environment,
          secrets: order.secrets,
          credentials: credentialsOf(order),
          deadlineMs: order.deadline_ms,
        },
        output,
        signal,
      );
    } finally {
      await output.close();
    }
  }

  #texts(digests: readonly string[]): Set<string> {
    return new Set(digests.flatMap(digest => listOfTexts.parse(this.documents.read(digest))));
  }
}

type OrderWithSource = Extract<RuntimeOrder, { kind: 'resolve_source' | 'build' }>;

const credentialsOf = ({ credentials }: OrderWithSource): SourceCredentials | undefined =>
  credentials && {
    ssh: credentials.ssh && {
      privateKey: credentials.ssh.private_key,
      knownHosts: credentials.ssh.known_hosts,
    },
    https: credentials.https,
  };

type OrderOfKind<Kind> = Extract<RuntimeOrder, { kind: Kind }>;

const databaseOrderOf = (order: OrderOfKind<'ensure_database' | 'restore_database'>): DatabaseOrder => ({
  databaseId: order.database_id,
  kind: order.database_kind,
  host: order.host,
  port: order.port,
  username: order.username,
  password: order.password,
  limits: {
    cpuMillicores: order.limits.cpu_millicores,
    memoryBytes: order.limits.memory_bytes,
    storageBytes: order.limits.storage_bytes,
    connections: order.limits.connections,
  },
  attachedTo: order.attached_to,
  attachmentUsers: order.attachment_users,
});

const restoreOf = (order: OrderOfKind<'restore_database'>): DatabaseRestore => ({
  order: databaseOrderOf(order),
  restoreId: order.restore_id,
  backupId: order.backup_id,
  digest: order.backup_digest,
});

const planOf = (plan: PlanOnTheWire): ServicePlan => ({
  webServiceId: plan.web_service_id,
  projectId: plan.project_id,
  name: plan.name,
  rollId: plan.roll_id,
  artefact: plan.artefact,
  startCommand: plan.start_command,
  port: plan.port,
  healthCheckPath: plan.health_check_path,
  healthCheck: plan.health_check && {
    host: plan.health_check.host,
    graceSeconds: plan.health_check.grace_seconds,
    intervalSeconds: plan.health_check.interval_seconds,
    timeoutSeconds: plan.health_check.timeout_seconds,
    threshold: plan.health_check.threshold,
  },
  firstByteSeconds: plan.first_byte_seconds,
  minInstances: plan.min_instances,
  maxInstances: plan.max_instances,
  environment: plan.environment,
  files: plan.files,
  secrets: plan.secrets,
  deadlineMs: plan.deadline_ms,
  instance: plan.instance && { memoryMib: plan.instance.memory_mib, cpuMillicores: plan.instance.cpu_millicores },
  drainSeconds: plan.drain_seconds,
  releaseCommand: plan.release_command,
  processes: plan.processes,
  disk: plan.disk && { sizeMib: plan.disk.size_mib },
});

const runOf = (run: z.output<typeof runOrder>): RunOrder => ({
  runId: run.run_id,
  webServiceId: run.web_service_id,
  instance: run.instance,
  artefact: run.artefact,
  command: run.command,
  environment: run.environment,
  files: run.files,
  secrets: run.secrets,
  size: run.size && { memoryMib: run.size.memory_mib, cpuMillicores: run.size.cpu_millicores },
  deadlineMs: run.deadline_ms,
  terminal: run.terminal && {
    tokenHash: run.terminal.token_hash,
    columns: run.terminal.columns,
    rows: run.terminal.rows,
  },
});
