import { dirname } from 'node:path';
import { BuildFailed } from '@postern/runtime';
import { freeBytes, unlinkedBytes, usageOf } from '../../infrastructure/disk.js';
import { processEntry } from '../../infrastructure/process-table.js';
import { filesFor, levelAt } from '../sandbox/areas/area-level.js';
import type { SandboxPlace } from '../sandbox/sandbox.js';
import { areaOf, type BuildFolders } from './build-environment.js';
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
    private readonly folders: BuildFolders,
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
    if ((await freeBytes(dirname(this.folders.workspace))) < floor)
      return `the disk is nearly full: less than ${Math.round(floor / MIB)} MiB are free`;
    if (this.folders.isLimited) return excessOf(this.folders, this.limits);
    if (performance.now() < this.#nextSizing) return undefined;
    const began = performance.now();
    const { workspace, cache } = this.folders;
    const bytes = sumOf(await usageOf([workspace, cache])) + (await unlinkedBytes(pids, workspace));
    const files = sumOf(await usageOf([workspace, cache], 'files'));
    this.#nextSizing = performance.now() + (performance.now() - began) * REST_FACTOR;
    if (bytes > diskBytes) return bytesMessage(this.limits);
    return files > filesFor(diskBytes) ? filesMessage(this.limits) : undefined;
  }
}

const sumOf = (usage: ReadonlyMap<string, number>): number => [...usage.values()].reduce((sum, each) => sum + each, 0);

/** The message about a limit that the kernel enforces; undefined while there is space. */
const excessOf = async ({ workspace, cache }: BuildFolders, limits: BuildLimits): Promise<string | undefined> => {
  const levels = await Promise.all([areaOf(workspace), cache].map(levelAt));
  const full = levels.find(({ isFull }) => isFull);
  if (full?.of === 'files') return filesMessage(limits);
  const used = levels.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return full || used > limits.diskBytes ? bytesMessage(limits) : undefined;
};

const bytesMessage = ({ diskBytes }: BuildLimits): string =>
  `the build wrote more than ${Math.round(diskBytes / MIB)} MiB`;

const filesMessage = ({ diskBytes }: BuildLimits): string => `the build wrote more than ${filesFor(diskBytes)} files`;

const memoryMessage = ({ memoryBytes }: BuildLimits): string =>
  `the build used more than ${Math.round(memoryBytes / MIB)} MiB of memory, which is the limit: let it use less (Node.js: set NODE_OPTIONS to a smaller --max-old-space-size, and let it run fewer processes), or build an image elsewhere and deploy it`;

const tasksMessage = ({ tasks }: BuildLimits): string => `the build started more than ${tasks} processes`;

/** @throws BuildFailed if the kernel enforced a limit of the build. */
export const requireWithinLimits = async (
  place: SandboxPlace,
  limits: BuildLimits,
  folders: BuildFolders,
): Promise<void> => {
  if (await place.ranOutOfMemory()) throw new BuildFailed(memoryMessage(limits));
  if (await place.ranOutOfTasks()) throw new BuildFailed(tasksMessage(limits));
  const excess = folders.isLimited ? await excessOf(folders, limits) : undefined;
  if (excess !== undefined) throw new BuildFailed(excess);
};
