import { Injectable } from '@nestjs/common';
import {
  checkDatabase,
  findDatabaseExtensions,
  findExternalHost,
  findMissingTechnology,
  findRecoveryTimes,
  getDatabaseUsage,
  installDatabaseExtension,
  type ReplyOf,
  type RequestOf,
  reserveDatabase,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseBackups, DatabaseExtensions, DatabaseRuntime, snakeCased } from '@postern/runtime';

/** Answers queries of the control plane about databases. */
@Injectable()
export class DatabaseQueries {
  constructor(
    private readonly databases: DatabaseRuntime,
    private readonly extensions: DatabaseExtensions,
    private readonly backups: DatabaseBackups,
  ) {}

  @Handles(findMissingTechnology)
  async missing({
    kind,
    version,
  }: RequestOf<typeof findMissingTechnology>): Promise<ReplyOf<typeof findMissingTechnology>> {
    return { missing: (await this.databases.missingFor(kind, version)) ?? null };
  }

  @Handles(findExternalHost)
  async externalHost({ kind }: RequestOf<typeof findExternalHost>): Promise<ReplyOf<typeof findExternalHost>> {
    return { host: null, refusal: null, ...(await this.databases.externalHostFor(kind)) };
  }

  @Handles(reserveDatabase)
  reserve({ database_id, kind }: RequestOf<typeof reserveDatabase>): Promise<ReplyOf<typeof reserveDatabase>> {
    return this.databases.reserve(database_id, kind);
  }

  @Handles(checkDatabase)
  async check({ database_id }: RequestOf<typeof checkDatabase>): Promise<ReplyOf<typeof checkDatabase>> {
    const [running, busy] = await Promise.all([
      this.databases.isRunning(database_id),
      this.databases.isBusy(database_id),
    ]);
    return { running, busy };
  }

  @Handles(getDatabaseUsage)
  async usage({ database_id }: RequestOf<typeof getDatabaseUsage>): Promise<ReplyOf<typeof getDatabaseUsage>> {
    const usage = await this.databases.usageOf(database_id);
    return { usage: usage ? snakeCased(usage) : null };
  }

  @Handles(findDatabaseExtensions)
  async extensionsOf({
    database_id,
    username,
  }: RequestOf<typeof findDatabaseExtensions>): Promise<ReplyOf<typeof findDatabaseExtensions>> {
    const extensions = await this.extensions.extensionsOf(database_id, username);
    return { extensions: extensions?.map(extension => snakeCased(extension)) ?? null };
  }

  @Handles(installDatabaseExtension)
  async install({
    database_id,
    username,
    name,
  }: RequestOf<typeof installDatabaseExtension>): Promise<ReplyOf<typeof installDatabaseExtension>> {
    return { problem: (await this.extensions.enableExtension(database_id, username, name)) ?? null };
  }

  @Handles(findRecoveryTimes)
  async recoveryOf({ database_id }: RequestOf<typeof findRecoveryTimes>): Promise<ReplyOf<typeof findRecoveryTimes>> {
    const found = await this.backups.recoveryOf(database_id);
    return { recovery: found ? snakeCased(found) : null };
  }
}
