import { usedBytesOf } from '../../infrastructure/disk.js';
import type { Instance } from '../instances/instance.js';

/** Measuring loads the disk, so the pause after a check is this multiple of its duration. */
const REST_FACTOR = 10;

/** Ends instances whose files exceed their limits. */
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
    if (instances.length === 0) return;
    const used = await usedBytesOf([...new Set(instances.flatMap(({ writableFolders }) => writableFolders))]);
    for (const instance of instances) await instance.checkDisk(used).catch(() => {});
  }
}
