import { usedBytesOf } from '../../infrastructure/disk.js';
import type { Instance } from '../instances/instance.js';

/** Adding up files takes the disk's time, so it rests for a multiple of that. */
const REST_FACTOR = 10;

/** Ends instances whose files take up more than they may. */
export class DiskWatch {
  #checking = false;
  #next = 0;

  /** Does nothing while an earlier check runs or has just run. A check that fails is repeated with the next one. */
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
