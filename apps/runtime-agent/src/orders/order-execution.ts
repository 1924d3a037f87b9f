import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { type RuntimeOrder, servicePlan } from '@postern/contracts';
import {
  camelCased,
  DatabaseBackups,
  type DatabaseOrder,
  DatabaseRuntime,
  DatabaseStorage,
  Runtime,
  snakeCased,
} from '@postern/runtime';
import { z } from 'zod';
import { OrderDocuments } from './order-documents.js';

const listOfTexts = z.array(z.string());

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
        return snakeCased(await this.runtime.resolveSource(camelCased(order), signal));
      case 'build':
        return this.#build(order, signal);
      case 'roll_out':
        return this.#outsideRequests(() => this.runtime.roll(camelCased(order.plan), signal));
      case 'run_command':
        return snakeCased(await this.#outsideRequests(() => this.runtime.run(camelCased(order.run), signal)));
      case 'stop':
        return this.runtime.stop(order.web_service_id);
      case 'remove_web_service':
        return this.runtime.remove(order.web_service_id);
      case 'reconcile': {
        const plans = order.plans.map(digest => camelCased(servicePlan.parse(this.documents.read(digest))));
        return this.#outsideRequests(() => this.runtime.reconcile(plans, new Set(order.rolling)));
      }
      case 'retain_artefacts':
        return this.runtime.retainArtefacts(this.#texts(order.references));
      case 'ensure_database':
        return this.#outsideRequests(() => this.databases.ensure(databaseOrderOf(order)));
      case 'remove_database':
        return this.databases.remove(order.database_id);
      case 'enforce_database_storage':
        return snakeCased(await this.storage.enforceStorage(order.database_id)) ?? null;
      case 'back_up_database':
        return snakeCased(await this.backups.backUp(order.database_id, order.backup_id, signal));
      case 'restore_database': {
        const { restoreId, backupId, backupDigest: digest, sourceId, targetTime } = camelCased(order);
        const restore = { order: databaseOrderOf(order), restoreId, backupId, digest, sourceId, targetTime };
        return this.#outsideRequests(() => this.backups.restore(restore, signal));
      }
      case 'retain_database_backups':
        return this.backups.retainBackups(order.database_id, new Set(order.backup_ids));
      case 'back_up_disk':
        return snakeCased(await this.runtime.backUpDisk(order.web_service_id, order.backup_id, signal));
      case 'restore_disk': {
        const { backupDigest: digest, ...restore } = camelCased(order);
        return this.#outsideRequests(() => this.runtime.restoreDisk({ ...restore, digest }, signal));
      }
      case 'retain_disk_backups':
        return this.runtime.retainDiskBackups(order.web_service_id, new Set(order.backup_ids));
      case 'retain_databases':
        return this.databases.retain(this.#texts(order.database_ids));
    }
  }

  async #build(
    { output: { instance, redact }, ...order }: OrderOfKind<'build'>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const output = this.runtime.logWriter(order.web_service_id, instance, redact);
    try {
      return await this.runtime.build(camelCased(order), output, signal);
    } finally {
      await output.close();
    }
  }

  #texts(digests: readonly string[]): Set<string> {
    return new Set(digests.flatMap(digest => listOfTexts.parse(this.documents.read(digest))));
  }
}

type OrderOfKind<Kind> = Extract<RuntimeOrder, { kind: Kind }>;

const databaseOrderOf = (order: OrderOfKind<'ensure_database' | 'restore_database'>): DatabaseOrder => ({
  ...camelCased(order),
  kind: order.database_kind,
});
