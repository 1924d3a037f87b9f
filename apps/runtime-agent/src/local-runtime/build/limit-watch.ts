import { BuildFailed } from '@postern/runtime';
import { freeBytes, unlinkedBytes, usageOf } from '../../infrastructure/disk.js';
import { processEntry } from '../../infrastructure/process-table.js';
import type { SandboxPlace } from '../sandbox/sandbox.js';
import type { BuildLimits } from './build-limits.js';

const MIB = 2 ** 20;
/** Computing the size of a workspace costs disk I/O, so the pause is a multiple of its duration. */
const REST_FACTOR = 10;

/**
 * Monitors the resource usage of a build, also where the kernel does not limit it; `signal` aborts with a BuildFailed that names the
 * exceeded limit.
 */
export class LimitWatch {
  readonly #control = new AbortController();
  #ended = false;
  #nextSizing = 0;
  readonly #running: Promise<void>;

  constructor(
    private readonly place: SandboxPlace,
    private readonly folders: readonly [workspace: string, cache: string],
    private readonly limits: BuildLimits,
  ) {
    this.#running = this.#watch();
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#running;
  }

  async #watch(): Promise<void> {
    while (!this.#ended && !this.signal.aborted) {
      const excess = await this.#excess().catch(() => undefined);
      if (excess !== undefined) this.#control.abort(new BuildFailed(excess));
      else await new Promise(resolve => setTimeout(resolve, this.limits.watchMs));
    }
  }

  async #excess(): Promise<string | undefined> {
    const { memoryBytes, tasks, diskBytes, freeBytes: floor } = this.limits;
    if (await this.place.ranOutOfMemory()) return memoryMessage(this.limits);
    const pids = await this.place.pids();
    if (pids.length >= tasks || (await this.place.ranOutOfTasks())) return tasksMessage(this.limits);
    const entries = pids.map(processEntry);
    const resident = entries.reduce((sum, entry) => sum + (entry?.memoryBytes ?? 0), 0);
    if (resident > memoryBytes) return memoryMessage(this.limits);
    if ((await freeBytes(this.folders[0])) < floor)
      return `the disk is nearly full: less than ${Math.round(floor / MIB)} MiB are free`;
    if (performance.now() < this.#nextSizing) return undefined;
    const began = performance.now();
    const [files, unlinked] = await Promise.all([usageOf(this.folders), unlinkedBytes(pids, this.folders[0])]);
    const used = [...files.values()].reduce((sum, bytes) => sum + bytes, unlinked);
    this.#nextSizing = performance.now() + (performance.now() - began) * REST_FACTOR;
    return used > diskBytes ? `the build wrote more than ${Math.round(diskBytes / MIB)} MiB` : undefined;
  }
}

const memoryMessage = ({ memoryBytes }: BuildLimits): string =>
  `the build used more than ${Math.round(memoryBytes / MIB)} MiB of memory`;

const tasksMessage = ({ tasks }: BuildLimits): string => `the build started more than ${tasks} processes`;

/** @throws BuildFailed if the kernel enforced the memory or task limit of the build. */
export const requireWithinLimits = async (place: SandboxPlace, limits: BuildLimits): Promise<void> => {
  if (await place.ranOutOfMemory()) throw new BuildFailed(memoryMessage(limits));
  if (await place.ranOutOfTasks()) throw new BuildFailed(tasksMessage(limits));
};
