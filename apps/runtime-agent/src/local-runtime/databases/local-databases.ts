import { join } from 'node:path';
import {
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
} from '@postern/runtime';
import { SPARE_BYTES, usedBytes } from '../../infrastructure/disk.js';
import { BackupFiles } from '../backups/backup-files.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import { DatabaseCopies } from './database-copies.js';
import { DatabaseFolders, type DatabaseRecord, placeOf, RESTORE_SUFFIX } from './database-folder.js';
import { type DatabaseNetworks, NO_NETWORKS } from './database-networks.js';
import { DatabaseVolumes } from './database-volumes.js';
import { type LocalServers, serversIn } from './local-servers.js';
import { missingProgram, type ProgramPlaces } from './programs.js';
import { Restorations } from './restorations.js';
import { ServerCertificates } from './server-certificates.js';
import { ServerSandboxes } from './server-sandbox.js';
import { isAlive, type LocalServer, ServerSupervisor } from './server-supervisor.js';
import { UsageOfDatabases } from './usage-of-databases.js';
import { WalArchive } from './wal-archive.js';

/** A reservation may exist shortly before the event that announces it. */
const RESERVATION_MS = 10 * 60_000;
const LOG_BYTES = 10 * 1024 ** 2;
/** Share of the limit below which a database becomes writable again, so that it does not alternate. */
const WRITABLE_AGAIN = 0.95;

const DEFAULT_BOUNDS: DatabaseBounds = { spareBytes: SPARE_BYTES, startTimeoutMs: 45_000, recoveryDays: 7 };

export interface DatabaseBounds {
  /** Disk space that backups and restores leave free. */
  readonly spareBytes: number;
  /** How long changes of relational databases are kept for a recovery. */
  readonly recoveryDays: number;
  /** Maximum duration of the start of a server. */
  readonly startTimeoutMs: number;
  /** Folder of the root directories of sandboxes; in the platform home by default. */
  readonly sandboxFrames?: string;
  /** Undefined if databases use the network of the machine. */
  readonly networks?: DatabaseNetworks;
  /** Finds out whether the kernel can limit the files of databases; by default they are only measured. */
  readonly images?: () => Promise<DiskImages | undefined>;
  /** Whether databases are created with programs that have known security holes. */
  readonly acceptsKnownHoles?: boolean;
}

/** Databases as processes of this machine, which keep running when the platform stops. */
export class LocalDatabases extends DatabaseRuntime implements DatabaseStorage, DatabaseBackups, DatabaseExtensions {
  readonly #acceptsKnownHoles: boolean;
  readonly #folders: DatabaseFolders;
  readonly #supervisor: ServerSupervisor;
  readonly #networks: DatabaseNetworks | undefined;
  readonly #sandboxes: ServerSandboxes;
  readonly #certificates: ServerCertificates;
  readonly #servers: LocalServers;
  readonly #volumes: DatabaseVolumes;
  readonly #restorations: Restorations;
  readonly #copies: DatabaseCopies;
  readonly #ensuring = new Map<string, Promise<void>>();
  readonly #usage: UsageOfDatabases;

  constructor(
    platformHome: string,
    private readonly places: ProgramPlaces,
    bounds: Partial<DatabaseBounds> = {},
  ) {
    super();
    const { spareBytes, recoveryDays, startTimeoutMs, sandboxFrames, networks } = { ...DEFAULT_BOUNDS, ...bounds };
    this.#acceptsKnownHoles = bounds.acceptsKnownHoles ?? false;
    this.#folders = new DatabaseFolders(platformHome);
    this.#supervisor = new ServerSupervisor(this.#folders, startTimeoutMs);
    const backups = new BackupFiles(databaseId => join(this.#folders.pathOf(databaseId), 'backups'));
    const images = bounds.images ?? (async () => undefined);
    this.#volumes = new DatabaseVolumes(this.#folders, images);
    const settings = { platformHome, startTimeoutMs };
    this.#restorations = new Restorations(this.#folders, this.#supervisor, backups, this.#volumes, images, settings);
    this.#networks = networks;
    this.#usage = new UsageOfDatabases(this.#folders);
    this.#sandboxes = new ServerSandboxes(platformHome, this.#folders, sandboxFrames, async id => networks?.find(id));
    this.#certificates = new ServerCertificates(this.#folders.root, networks?.externalHost);
    this.#servers = serversIn(this.#folders, places, this.#sandboxes, this.#certificates, placeOf);
    const { folders } = this.#restorations;
    const trials = serversIn(
      folders,
      places,
      new ServerSandboxes(platformHome, folders, sandboxFrames),
      this.#certificates,
      () => undefined,
    );
    const archive = new WalArchive(this.#folders, recoveryDays);
    this.#copies = new DatabaseCopies({
      ...{ folders: this.#folders, servers: this.#servers, restorations: this.#restorations },
      ...{ trials, backups, archive, spareBytes },
    });
  }

  async missingFor(kind: DatabaseKind, version?: string): Promise<string | undefined> {
    return missingProgram(kind, this.places, this.#acceptsKnownHoles, version);
  }

  async externalHostFor(kind: DatabaseKind): Promise<ExternalHost> {
    return this.#networks ? this.#networks.externalHostFor(kind) : { refusal: NO_NETWORKS };
  }

  async reserve(databaseId: string, kind: DatabaseKind): Promise<{ host: string; port: number }> {
    return placeOf(await this.#placed(await this.#folders.reserve(databaseId, kind)));
  }

  /** One call after another for each database: two could change its role at the same time. */
  async ensure(order: DatabaseOrder): Promise<void> {
    const { databaseId } = order;
    const before = this.#ensuring.get(databaseId) ?? Promise.resolve();
    const running = before.then(() => this.#ensure(order));
    const ended = running.catch(() => undefined);
    this.#ensuring.set(databaseId, ended);
    await running.finally(() => {
      if (this.#ensuring.get(databaseId) === ended) this.#ensuring.delete(databaseId);
    });
  }

  async #ensure(order: DatabaseOrder): Promise<void> {
    const reserved = await this.#folders.reserve(order.databaseId, order.kind, order.port);
    const server = this.#serverOf(reserved);
    const completed = await this.#restorations.complete(await this.#placed(reserved), server);
    const { limits, version, attachedTo } = order;
    const allowedCidrs = this.#networks?.admissible(order.allowedCidrs, order.kind);
    const record = await this.#folders.note(completed, { limits, version, attachedTo, allowedCidrs });
    await this.#networks?.bound(record, limits.connections);
    await this.#networks?.update(record, server);
    await this.#volumes.open(record, limits);
    await this.#supervisor.ensure(server, record, order, () => this.#volumes.enlarge(record, limits));
  }

  /** Records the address at which clients reach the database. */
  async #placed(record: DatabaseRecord): Promise<DatabaseRecord> {
    await this.#volumes.mount(record.databaseId);
    const place = await this.#networks?.place(record);
    // A server in a network that is gone, or in that of the machine, would never be reached again.
    if (place?.isNew || place?.network.address !== record.address)
      await this.#supervisor.stop(this.#serverOf(record), record);
    return this.#folders.note(record, { address: place?.network.address });
  }

  async backUp(databaseId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    return this.#copies.backUp(await this.#recordOf(databaseId), backupId, signal);
  }

  async restore(restore: DatabaseRestore, signal: AbortSignal): Promise<void> {
    const { databaseId } = restore.order;
    await this.#restorations.cancellable(databaseId, signal, async abortable =>
      this.#copies.restore(await this.#recordOf(databaseId), restore, abortable, order => this.ensure(order)),
    );
  }

  retainBackups(databaseId: string, backupIds: ReadonlySet<string>): Promise<void> {
    return this.#copies.retain(databaseId, backupIds);
  }

  recoveryOf(databaseId: string): Promise<DatabaseRecovery | undefined> {
    return this.#copies.recoveryOf(databaseId);
  }

  /** Archives what the relational databases have written; to be called every second. */
  archive(): Promise<void> {
    return this.#copies.archive();
  }

  async isRunning(databaseId: string): Promise<boolean> {
    const record = await this.#folders.recordOf(databaseId);
    return record !== undefined && isAlive(await this.#serverOf(record).state(record));
  }

  async isBusy(databaseId: string): Promise<boolean> {
    const record = await this.#folders.recordOf(databaseId);
    return record !== undefined && (await this.#serverOf(record).state(record)) === 'busy';
  }

  async usageOf(databaseId: string): Promise<DatabaseUsage | undefined> {
    const record = await this.#folders.recordOf(databaseId);
    const usage = record?.kind === 'relational' ? await this.#usage.of(record) : undefined;
    if (!usage) return undefined;
    const serverVersion = await this.#servers.relational.versionOf(databaseId);
    return { ...usage, serverVersion, caCertificate: await this.#certificates.authority() };
  }

  async extensionsOf(databaseId: string, owner: string): Promise<readonly DatabaseExtension[] | undefined> {
    if (!(await this.isRunning(databaseId))) return undefined;
    return this.#servers.relational.extensionsOf(await this.#recordOf(databaseId), owner);
  }

  async enableExtension(databaseId: string, owner: string, name: string): Promise<string | undefined> {
    return this.#servers.relational.enableExtension(await this.#recordOf(databaseId), owner, name);
  }

  /**
   * A relational database becomes read-only at the limit of its plan, before its volume is full. A key-value store is limited by its
   * memory; it refuses writes itself if its volume is full.
   */
  async enforceStorage(databaseId: string): Promise<StorageState | undefined> {
    await this.#supervisor.trimLog(databaseId, LOG_BYTES);
    const record = await this.#folders.recordOf(databaseId);
    if (!record?.limits) return undefined;
    const level = await this.#volumes.levelOf(databaseId).catch(() => undefined);
    if (record.kind === 'key_value') return level && { usedBytes: level.usedBytes, readOnly: level.isFull };
    const bytes = await usedBytes(this.#folders.dataOf(databaseId));
    const { storageBytes } = record.limits;
    const { relational } = this.#servers;
    const was = await relational.isReadOnly(record);
    const readOnly = bytes > (was ? storageBytes * WRITABLE_AGAIN : storageBytes);
    if (readOnly !== was) await relational.setReadOnly(record, readOnly);
    return { usedBytes: bytes, readOnly };
  }

  async remove(databaseId: string): Promise<void> {
    await this.#restorations.cancel(databaseId);
    const record = await this.#folders.recordOf(databaseId);
    if (record) {
      // Its processes are found by their data folder.
      await this.#volumes.mount(databaseId).catch(() => undefined);
      await this.#restorations.abandon(record);
      await this.#supervisor.kill(record);
      await this.#volumes.close(databaseId);
    }
    await this.#folders.remove(databaseId);
    await this.#networks?.release(databaseId);
    await this.#sandboxes.clear(databaseId);
    await this.#sandboxes.clear(`${databaseId}${RESTORE_SUFFIX}`);
    this.#usage.forget(databaseId);
  }

  async retain(databaseIds: ReadonlySet<string>): Promise<void> {
    for (const id of await this.#folders.ids()) {
      if (databaseIds.has(id)) continue;
      const record = await this.#folders.recordOf(id);
      const isFresh = record && !record.limits && Date.now() - Date.parse(record.reservedAt) < RESERVATION_MS;
      if (!isFresh) await this.remove(id);
    }
    await this.#folders.removeAbandoned(RESERVATION_MS);
    await this.#networks?.retain(new Set(await this.#folders.ids()));
  }

  /** Shuts all servers down cleanly and keeps their data. */
  async stopAll(): Promise<void> {
    await Promise.all((await this.#folders.ids()).map(id => this.#stop(id)));
  }

  async #stop(databaseId: string): Promise<void> {
    await this.#restorations.cancel(databaseId);
    const record = await this.#folders.recordOf(databaseId);
    if (!record) return;
    await this.#volumes.mount(databaseId).catch(() => undefined);
    if (record.completing === undefined) await this.#restorations.abandon(record);
    await this.#supervisor.stop(this.#serverOf(record), record);
    await this.#volumes.close(databaseId);
    await this.#networks?.release(databaseId);
  }

  async #recordOf(databaseId: string): Promise<DatabaseRecord> {
    return (await this.#folders.recordOf(databaseId)) ?? raise('there is no such database on this machine');
  }

  #serverOf({ kind }: DatabaseRecord): LocalServer {
    return this.#servers[kind];
  }
}

const raise = (message: string): never => {
  throw new Error(message);
};
