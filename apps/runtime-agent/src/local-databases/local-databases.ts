import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DatabaseKind,
  type DatabaseOrder,
  DatabaseRuntime,
  type DatabaseStorage,
  type DatabaseUsage,
  type StorageState,
} from '@postern/runtime';

import { DatabaseFolders, type DatabaseRecord, LOCAL_HOST } from './database-folder.js';
import { LocalPostgres } from './local-postgres.js';
import { LocalValkey } from './local-valkey.js';
import { type ProcessUsage, processesOf, usageOf } from './processes.js';
import { findPostgres, findValkey, POSTGRES_MISSING, type ProgramPlaces, VALKEY_MISSING } from './programs.js';
import { type LocalServer, ServerKeeper } from './server-keeper.js';

/** A reservation may be a moment ahead of the event that makes it known. */
const RESERVATION_MS = 10 * 60_000;
const LOG_BYTES = 10 * 1024 ** 2;
/** Writable again only when there is some space, so that it does not alternate. */
const WRITABLE_AGAIN = 0.95;
const MEASURE_MS = 250;
const MEASURE_AGAIN_AFTER_MS = 60_000;

interface Measured extends ProcessUsage {
  readonly at: number;
}

/** Databases as processes of this machine, which live on when the platform stops. */
export class LocalDatabases extends DatabaseRuntime implements DatabaseStorage {
  readonly #folders: DatabaseFolders;
  readonly #keeper: ServerKeeper;
  readonly #postgres: LocalPostgres;
  readonly #valkey: LocalValkey;
  readonly #measured = new Map<string, Measured>();

  constructor(
    platformHome: string,
    private readonly places: ProgramPlaces,
  ) {
    super();
    this.#folders = new DatabaseFolders(platformHome);
    this.#keeper = new ServerKeeper(this.#folders);
    this.#postgres = new LocalPostgres(this.#folders, places);
    this.#valkey = new LocalValkey(this.#folders, () => findValkey(places) ?? raise(VALKEY_MISSING));
  }

  async missingFor(kind: DatabaseKind): Promise<string | undefined> {
    if (kind === 'relational') return findPostgres(this.places).length > 0 ? undefined : POSTGRES_MISSING;
    return findValkey(this.places) ? undefined : VALKEY_MISSING;
  }

  async reserve(databaseId: string, kind: DatabaseKind): Promise<{ host: string; port: number }> {
    const { port } = await this.#folders.reserve(databaseId, kind);
    return { host: LOCAL_HOST, port };
  }

  async ensure(order: DatabaseOrder): Promise<void> {
    const record = await this.#folders.reserve(order.databaseId, order.kind, order.port);
    await this.#folders.noteLimits(record, order.limits);
    await this.#keeper.ensure(this.#serverOf(record), record, order);
  }

  async isRunning(databaseId: string): Promise<boolean> {
    const record = await this.#folders.recordOf(databaseId);
    return record !== undefined && this.#serverOf(record).answers(record);
  }

  /** The processor's share is since the last question, or over a moment when that was long ago. */
  async usageOf(databaseId: string): Promise<DatabaseUsage | undefined> {
    const record = await this.#folders.recordOf(databaseId);
    if (record?.kind !== 'relational' || !record.limits) return undefined;
    const last = this.#measured.get(databaseId);
    const age = Date.now() - (last?.at ?? 0);
    const before = last && age > MEASURE_MS && age < MEASURE_AGAIN_AFTER_MS ? last : await this.#measure(record);
    if (before !== last) await pause(MEASURE_MS);
    const now = before && (await this.#measure(record));
    if (!before || !now) return undefined;
    this.#measured.set(databaseId, now);
    const { cpuMillicores: cpuLimit, memoryBytes: memoryLimit } = record.limits;
    const cpuMillicores = Math.max(0, (1e6 * (now.cpuSeconds - before.cpuSeconds)) / (now.at - before.at));
    return {
      cpuMillicores,
      cpuPercent: (100 * cpuMillicores) / cpuLimit,
      memoryBytes: now.memoryBytes,
      memoryPercent: (100 * now.memoryBytes) / memoryLimit,
    };
  }

  /** Key-value stores are bounded by their memory, and rewrite their log before it is much larger than that. */
  async enforceStorage(databaseId: string): Promise<StorageState | undefined> {
    await this.#keeper.trimLog(databaseId, LOG_BYTES);
    const record = await this.#folders.recordOf(databaseId);
    if (record?.kind !== 'relational' || !record.limits) return undefined;
    const usedBytes = await diskUsageOf(this.#folders.dataOf(databaseId));
    const { storageBytes } = record.limits;
    const was = await this.#postgres.isReadOnly(record);
    const readOnly = usedBytes > (was ? storageBytes * WRITABLE_AGAIN : storageBytes);
    if (readOnly !== was) await this.#postgres.setReadOnly(record, readOnly);
    return { usedBytes, readOnly };
  }

  async remove(databaseId: string): Promise<void> {
    const record = await this.#folders.recordOf(databaseId);
    if (record) await this.#keeper.kill(record);
    await this.#folders.remove(databaseId);
    this.#measured.delete(databaseId);
  }

  async retain(databaseIds: ReadonlySet<string>): Promise<void> {
    for (const id of await this.#folders.ids()) {
      if (databaseIds.has(id)) continue;
      const record = await this.#folders.recordOf(id);
      const isFresh = record && !record.limits && Date.now() - Date.parse(record.reservedAt) < RESERVATION_MS;
      if (!isFresh) await this.remove(id);
    }
    await this.#folders.freeAbandonedPorts(RESERVATION_MS);
  }

  /** Ends all servers in order and keeps their data. */
  async stopAll(): Promise<void> {
    const records = await Promise.all((await this.#folders.ids()).map(id => this.#folders.recordOf(id)));
    await Promise.all(records.map(record => record && this.#keeper.stop(this.#serverOf(record), record)));
  }

  #serverOf({ kind }: DatabaseRecord): LocalServer {
    return kind === 'relational' ? this.#postgres : this.#valkey;
  }

  async #measure(record: DatabaseRecord): Promise<Measured | undefined> {
    const pids = await processesOf(await this.#folders.marksOf(record));
    return pids.length === 0 ? undefined : { at: Date.now(), ...(await usageOf(pids)) };
  }
}

/** Blocks on disk, as `du` counts them; a file that goes away meanwhile counts nothing. */
const diskUsageOf = async (path: string): Promise<number> => {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return 0;
  let bytes = entry.blocks * 512;
  if (entry.isDirectory())
    for (const name of await readdir(path).catch(() => [])) bytes += await diskUsageOf(join(path, name));
  return bytes;
};

const raise = (words: string): never => {
  throw new Error(words);
};
