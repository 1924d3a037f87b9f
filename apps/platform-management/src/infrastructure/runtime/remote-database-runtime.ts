import {
  checkDatabase,
  findDatabaseExtensions,
  findExternalHost,
  findMissingTechnology,
  findRecoveryTimes,
  getDatabaseUsage,
  installDatabaseExtension,
  reserveDatabase,
  runtimeResult,
} from '@postern/contracts';
import {
  camelCased,
  type DatabaseBackups,
  type DatabaseExtension,
  type DatabaseExtensions,
  type DatabaseKind,
  type DatabaseOrder,
  type DatabaseRecovery,
  type DatabaseRestore,
  DatabaseRuntime,
  type DatabaseStorage,
  type DatabaseUsage,
  type ExternalHost,
  type StorageState,
  type StoredBackup,
  snakeCased,
} from '@postern/runtime';
import { documentsOf, listsOf } from './remote-runtime.js';
import type { RuntimeAgent } from './runtime-agent.js';

/** Databases that the runtime agent runs. Throws `RuntimeUnavailable` while the agent does not respond. */
export class RemoteDatabaseRuntime
  extends DatabaseRuntime
  implements DatabaseStorage, DatabaseBackups, DatabaseExtensions
{
  constructor(private readonly agent: RuntimeAgent) {
    super();
  }

  async missingFor(kind: DatabaseKind, version?: string): Promise<string | undefined> {
    return (await this.agent.request(findMissingTechnology, { kind, version })).missing ?? undefined;
  }

  async externalHostFor(kind: DatabaseKind): Promise<ExternalHost> {
    const { host, refusal } = await this.agent.request(findExternalHost, { kind });
    return host === null ? { refusal: refusal ?? '' } : { host };
  }

  reserve(databaseId: string, kind: DatabaseKind): Promise<{ readonly host: string; readonly port: number }> {
    return this.agent.request(reserveDatabase, { database_id: databaseId, kind });
  }

  async ensure(order: DatabaseOrder, signal?: AbortSignal): Promise<void> {
    await this.agent.execute({ kind: 'ensure_database', ...onTheWire(order) }, { signal });
  }

  async backUp(databaseId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    const order = { kind: 'back_up_database', database_id: databaseId, backup_id: backupId } as const;
    return camelCased(runtimeResult.back_up_database.parse(await this.agent.execute(order, { signal })));
  }

  async restore({ order, digest, ...restore }: DatabaseRestore, signal: AbortSignal): Promise<void> {
    const source = { ...snakeCased(restore), backup_digest: digest };
    await this.agent.execute({ kind: 'restore_database', ...onTheWire(order), ...source }, { signal });
  }

  async recoveryOf(databaseId: string): Promise<DatabaseRecovery | undefined> {
    const { recovery } = await this.agent.request(findRecoveryTimes, { database_id: databaseId });
    return recovery ? camelCased(recovery) : undefined;
  }

  async retainBackups(databaseId: string, backupIds: ReadonlySet<string>): Promise<void> {
    await this.agent.execute({
      kind: 'retain_database_backups',
      database_id: databaseId,
      backup_ids: [...backupIds],
    });
  }

  async isRunning(databaseId: string): Promise<boolean> {
    return (await this.agent.request(checkDatabase, { database_id: databaseId })).running;
  }

  async isBusy(databaseId: string): Promise<boolean> {
    return (await this.agent.request(checkDatabase, { database_id: databaseId })).busy;
  }

  async usageOf(databaseId: string): Promise<DatabaseUsage | undefined> {
    const { usage } = await this.agent.request(getDatabaseUsage, { database_id: databaseId });
    return usage ? camelCased(usage) : undefined;
  }

  async extensionsOf(databaseId: string, owner: string): Promise<readonly DatabaseExtension[] | undefined> {
    const request = { database_id: databaseId, username: owner };
    const { extensions } = await this.agent.request(findDatabaseExtensions, request);
    return extensions?.map(extension => camelCased(extension));
  }

  async enableExtension(databaseId: string, owner: string, name: string): Promise<string | undefined> {
    const request = { database_id: databaseId, username: owner, name };
    return (await this.agent.request(installDatabaseExtension, request)).problem ?? undefined;
  }

  async remove(databaseId: string): Promise<void> {
    await this.agent.execute({ kind: 'remove_database', database_id: databaseId });
  }

  async retain(databaseIds: ReadonlySet<string>): Promise<void> {
    const documents = documentsOf(listsOf(databaseIds));
    await this.agent.execute({ kind: 'retain_databases', database_ids: [...documents.keys()] }, { documents });
  }

  async enforceStorage(databaseId: string): Promise<StorageState | undefined> {
    const result = await this.agent.execute({ kind: 'enforce_database_storage', database_id: databaseId });
    return camelCased(runtimeResult.enforce_database_storage.parse(result)) ?? undefined;
  }
}

const onTheWire = ({ kind, ...order }: DatabaseOrder) => ({ database_kind: kind, ...snakeCased(order) });
