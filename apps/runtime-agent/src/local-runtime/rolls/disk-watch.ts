import { usageOf } from '../../infrastructure/disk.js';
import type { Instance } from '../instances/instance.js';
import type { Usage } from '../instances/instance-areas.js';

/** Measuring loads the disk, so the pause after a check is this multiple of its duration. */
const REST_FACTOR = 10;

/** Reports how full the areas of instances are. Ends instances whose files exceed limits that the kernel does not enforce. */
export class DiskWatch {
  #checking = false;
  #next = 0;

  /** Does nothing while a check runs or in the pause after it. The next check retries a failed one. */
  async check(instances: readonly Instance[]): Promise<void> {
    if (this.#checking || performance.now() < this.#next) return;
    this.#checking = true;
    const began = performance.now();
    await this.#checkAll(instances).catch(() => {});
    this.#next = performance.now() + (performance.now() - began) * REST_FACTOR;
    this.#checking = false;
  }

  async #checkAll(instances: readonly Instance[]): Promise<void> {
    const folders = [...new Set(instances.flatMap(({ measuredFolders }) => measuredFolders))];
    const used = folders.length === 0 ? new Map() : await usedBy(folders);
    for (const instance of instances) await instance.checkDisk(used).catch(() => {});
  }
}

const usedBy = async (folders: readonly string[]): Promise<Usage> => {
  const bytes = await usageOf(folders);
  const files = await usageOf(folders, 'files');
  return new Map(folders.map(folder => [folder, { bytes: bytes.get(folder) ?? 0, files: files.get(folder) ?? 0 }]));
};
