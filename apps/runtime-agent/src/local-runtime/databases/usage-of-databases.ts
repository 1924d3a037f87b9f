import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseUsage } from '@postern/runtime';
import { usedBytes } from '../../infrastructure/disk.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { type ProcessUsage, processesOf, usageOf } from './processes.js';

const MEASURE_MS = 250;
const MEASURE_AGAIN_AFTER_MS = 60_000;

interface Measured extends ProcessUsage {
  readonly at: number;
}

/** The use of processor time, memory and storage by the servers of databases. */
export class UsageOfDatabases {
  readonly #measured = new Map<string, Measured>();

  constructor(private readonly folders: DatabaseFolders) {}

  /** The CPU usage is that since the last call, or that of a short interval if the last call was long ago. */
  async of(record: DatabaseRecord): Promise<DatabaseUsage | undefined> {
    if (!record.limits) return undefined;
    const last = this.#measured.get(record.databaseId);
    const age = Date.now() - (last?.at ?? 0);
    const before = last && age > MEASURE_MS && age < MEASURE_AGAIN_AFTER_MS ? last : await this.#measure(record);
    if (before !== last) await pause(MEASURE_MS);
    const now = before && (await this.#measure(record));
    if (!before || !now) return undefined;
    this.#measured.set(record.databaseId, now);
    const { cpuMillicores: cpuLimit, memoryBytes: memoryLimit } = record.limits;
    const cpuMillicores = Math.max(0, (1e6 * (now.cpuSeconds - before.cpuSeconds)) / (now.at - before.at));
    return {
      cpuMillicores,
      cpuPercent: (100 * cpuMillicores) / cpuLimit,
      memoryBytes: now.memoryBytes,
      memoryPercent: (100 * now.memoryBytes) / memoryLimit,
      storageBytes: await usedBytes(this.folders.dataOf(record.databaseId)),
    };
  }

  forget(databaseId: string): void {
    this.#measured.delete(databaseId);
  }

  async #measure(record: DatabaseRecord): Promise<Measured | undefined> {
    const pids = await processesOf(this.folders.marksOf(record));
    return pids.length === 0 ? undefined : { at: Date.now(), ...usageOf(pids) };
  }
}
