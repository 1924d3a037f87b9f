import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseOrder, DatabaseRecovery, DatabaseRestore, StoredBackup } from '@postern/runtime';
import { freeBytes, requireSpace, usedBytes } from '../../infrastructure/disk.js';
import type { BackupFiles } from '../backups/backup-files.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import type { LocalServers } from './local-servers.js';
import type { Restorations } from './restorations.js';
import type { WalArchive } from './wal-archive.js';

const MIB = 1024 ** 2;
/** Maximum size that the write-ahead log of a database adds to a copy of it. */
const GROWTH_BYTES = 1024 * MIB;
const SEALED_WITHIN_MS = 60_000;

interface CopiesParts {
  readonly folders: DatabaseFolders;
  readonly servers: LocalServers;
  /** The trial servers of restores. */
  readonly trials: LocalServers;
  readonly backups: BackupFiles;
  readonly restorations: Restorations;
  readonly archive: WalArchive;
  /** Disk space that backups, restores and the archive leave free. */
  readonly spareBytes: number;
}

/** Backups of databases, the archive of their write-ahead logs, and databases that are made from them. */
export class DatabaseCopies {
  /** Why the write-ahead log of a database is not archived. */
  readonly #problems = new Map<string, string>();
  #archiving: Promise<void> | undefined;

  constructor(private readonly parts: CopiesParts) {}

  async backUp(record: DatabaseRecord, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    const { folders, servers, backups, archive } = this.parts;
    const { databaseId, kind } = record;
    const known = await backups.find(databaseId, backupId);
    if (known) return known;
    const dataBytes = await usedBytes(folders.dataOf(databaseId));
    await this.#requireSpace(dataBytes);
    try {
      if (kind === 'relational') await archive.begin(record, backupId, await servers.relational.currentWal(record));
      const content = await servers[kind].copy(record);
      const stored = await backups.write(databaseId, backupId, content, 2 * dataBytes + GROWTH_BYTES, signal);
      await archive.end(databaseId, backupId);
      return stored;
    } catch (error) {
      await archive.forget(databaseId, backupId);
      throw error;
    }
  }

  /** @param start starts the database after the restore, or if the restore is already complete. */
  async restore(
    found: DatabaseRecord,
    { order, restoreId, backupId, digest, sourceId = order.databaseId, targetTime }: DatabaseRestore,
    signal: AbortSignal,
    start: (order: DatabaseOrder) => Promise<void>,
  ): Promise<void> {
    const { servers, trials, backups, restorations } = this.parts;
    const server = servers[found.kind];
    const record = await restorations.complete(found, server);
    if (record.restored !== restoreId) {
      const backup = await backups.find(sourceId, backupId);
      if (!backup) throw new Error('the backup is gone');
      if (backup.digest !== digest) throw new Error('the backup is damaged');
      const contentBytes = await backups.contentBytes(sourceId, backupId, signal);
      await this.#requireSpace(targetTime === undefined ? contentBytes : contentBytes + GROWTH_BYTES);
      const source = { databaseId: sourceId, backupId, targetTime };
      // Until now, the data that are replaced can be recovered as well.
      if (sourceId === record.databaseId && (await this.parts.archive.hasBases(sourceId)))
        await this.#seal(record).catch(() => undefined);
      if (targetTime !== undefined) await this.#requireRecoverable(source, targetTime);
      const provide = async (configuration: string) => {
        if (targetTime === undefined) return undefined;
        await this.parts.archive.provide(sourceId, backupId, configuration, record.uid);
        return { targetTime };
      };
      await restorations.run(record, { order, restoreId, source, provide }, [server, trials[record.kind]], signal);
    }
    await start(order);
  }

  async retain(databaseId: string, backupIds: ReadonlySet<string>): Promise<void> {
    const { folders, backups, archive } = this.parts;
    await backups.retain(databaseId, backupIds);
    await archive.retain(databaseId, backupIds);
    const record = await folders.recordOf(databaseId);
    if (record) await archive.prune(record);
  }

  async recoveryOf(databaseId: string): Promise<DatabaseRecovery | undefined> {
    const { folders, servers, archive } = this.parts;
    const record = await folders.recordOf(databaseId);
    if (record?.kind !== 'relational') return undefined;
    const segment = await servers.relational.currentWal(record).catch(() => undefined);
    const pending = new Set(await archive.pending(record));
    const problem = this.#problems.get(databaseId);
    const reached = segment === undefined || problem !== undefined ? undefined : { segment, pending };
    const { ranges, reachNow } = await archive.ranges(record, reached);
    if (problem !== undefined) return { ranges, problem };
    if (segment === undefined) return { ranges, problem: 'the database does not run' };
    return reachNow ? { ranges } : { ranges, problem: 'the newest changes can be recovered after the next backup' };
  }

  /** Archives what the servers have written, one database after another. A database that fails does not stop the others. */
  async archive(): Promise<void> {
    this.#archiving ??= this.#archive().finally(() => {
      this.#archiving = undefined;
    });
    await this.#archiving;
  }

  async #archive(): Promise<void> {
    const { folders, spareBytes } = this.parts;
    const ids = await folders.ids();
    const hasSpace = (await freeBytes(folders.root).catch(() => 0)) > spareBytes;
    for (const id of ids) {
      const record = await folders.recordOf(id).catch(() => undefined);
      if (record?.kind !== 'relational' || record.completing !== undefined) continue;
      await this.parts.archive.copy(record, hasSpace).then(
        () => this.#note(id, hasSpace ? undefined : DISK_FULL),
        (error: unknown) => this.#note(id, `changes cannot be kept: ${error instanceof Error ? error.message : error}`),
      );
    }
    for (const id of this.#problems.keys()) if (!ids.includes(id)) this.#problems.delete(id);
  }

  /** A target time for which the archive does not suffice yet is recovered after the server has ended its segment. */
  async #requireRecoverable(source: { databaseId: string; backupId: string }, targetTime: string): Promise<void> {
    const { folders, archive } = this.parts;
    const record = await folders.recordOf(source.databaseId);
    if (!record) throw new Error('the database of the backup is gone');
    const covers = async () =>
      (await archive.ranges(record, undefined)).ranges.some(
        ({ backupId, earliest, latest }) =>
          backupId === source.backupId && targetTime >= earliest && targetTime <= latest,
      );
    if (await covers()) return;
    const isSealed = await this.#seal(record).catch((error: Error) => error);
    if (!(await covers()))
      throw new Error(
        `its changes until ${targetTime} are not in the archive` +
          (isSealed instanceof Error ? `: ${isSealed.message}` : ''),
      );
  }

  /** Has the server end its segment, and archives it. */
  async #seal(record: DatabaseRecord): Promise<void> {
    if (record.kind !== 'relational') return;
    const segment = await this.parts.servers.relational.sealWal(record);
    for (const until = Date.now() + SEALED_WITHIN_MS; Date.now() < until; await pause(100)) {
      await this.archive();
      if (await this.parts.archive.has(record, segment)) return;
    }
    throw new Error(this.#problems.get(record.databaseId) ?? 'its write-ahead log was not archived within a minute');
  }

  #note(databaseId: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(databaseId);
    else this.#problems.set(databaseId, problem);
  }

  #requireSpace(bytes: number): Promise<void> {
    const { folders, spareBytes } = this.parts;
    return requireSpace(folders.root, bytes, spareBytes);
  }
}

const DISK_FULL = 'the disk of the platform is too full to keep changes';
