import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { type RuntimeOrder, servicePlan } from '@postern/contracts';
import { DatabaseRuntime, DatabaseStorage, Runtime, type ServicePlan } from '@postern/runtime';
import { z } from 'zod';
import { OrderDocuments } from './order-documents.js';

const listOfTexts = z.array(z.string());

type PlanOnTheWire = z.output<typeof servicePlan>;

/** Carries out orders with the runtimes of this process. */
@Injectable()
export class OrderExecution {
  /** What an order starts outlives it and belongs to no request. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot();

  constructor(
    private readonly runtime: Runtime,
    private readonly databases: DatabaseRuntime,
    private readonly storage: DatabaseStorage,
    private readonly documents: OrderDocuments,
  ) {}

  /** @throws the errors of `Runtime` and `DatabaseRuntime`. */
  async carryOut(order: RuntimeOrder, signal: AbortSignal): Promise<unknown> {
    switch (order.kind) {
      case 'resolve_source':
        return this.runtime.resolveSource({ repositoryUrl: order.repository_url, branch: order.branch }, signal);
      case 'build':
        return this.#build(order, signal);
      case 'roll_out':
        return this.#outsideRequests(() => this.runtime.roll(planOf(order.plan), signal));
      case 'stop':
        return this.runtime.stop(order.web_service_id);
      case 'reconcile': {
        const plans = order.plans.map(digest => planOf(servicePlan.parse(this.documents.read(digest))));
        return this.#outsideRequests(() => this.runtime.reconcile(plans, new Set(order.rolling)));
      }
      case 'retain_artefacts':
        return this.runtime.retainArtefacts(this.#texts(order.references));
      case 'ensure_database':
        return this.#outsideRequests(() => this.#ensureDatabase(order));
      case 'remove_database':
        return this.databases.remove(order.database_id);
      case 'enforce_database_storage': {
        const state = await this.storage.enforceStorage(order.database_id);
        return state ? { used_bytes: state.usedBytes, read_only: state.readOnly } : null;
      }
      case 'retain_databases':
        return this.databases.retain(this.#texts(order.database_ids));
    }
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
          startCommand: order.start_command,
          environment: order.environment,
          secrets: order.secrets,
          deadlineMs: order.deadline_ms,
        },
        output,
        signal,
      );
    } finally {
      await output.close();
    }
  }

  #ensureDatabase(order: Extract<RuntimeOrder, { kind: 'ensure_database' }>): Promise<void> {
    const { limits } = order;
    return this.databases.ensure({
      databaseId: order.database_id,
      kind: order.database_kind,
      host: order.host,
      port: order.port,
      username: order.username,
      password: order.password,
      limits: {
        cpuMillicores: limits.cpu_millicores,
        memoryBytes: limits.memory_bytes,
        storageBytes: limits.storage_bytes,
        connections: limits.connections,
      },
    });
  }

  #texts(digests: readonly string[]): Set<string> {
    return new Set(digests.flatMap(digest => listOfTexts.parse(this.documents.read(digest))));
  }
}

const planOf = (plan: PlanOnTheWire): ServicePlan => ({
  webServiceId: plan.web_service_id,
  name: plan.name,
  rollId: plan.roll_id,
  artefact: plan.artefact,
  startCommand: plan.start_command,
  port: plan.port,
  healthCheckPath: plan.health_check_path,
  minInstances: plan.min_instances,
  maxInstances: plan.max_instances,
  environment: plan.environment,
  secrets: plan.secrets,
  deadlineMs: plan.deadline_ms,
});
