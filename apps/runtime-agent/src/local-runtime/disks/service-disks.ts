import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../infrastructure/disk.js';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import { makeOwned } from '../source/owned-folder.js';

/** The user of all instances of a web service with a disk; nobody else can enter the folder. */
export const diskUser = (webServiceId: string): string => `disk-${webServiceId}`;

/**
 * The files of web services that outlive instances, in a folder for each below `<platform home>/disks`. They go with
 * the web service.
 */
export class ServiceDisks {
  readonly #folder: string;

  constructor(
    platformHome: string,
    private readonly confinement: Pick<Confinement, 'release'>,
  ) {
    this.#folder = join(platformHome, 'disks');
  }

  /** Makes the folder unless it is there, and returns its path. */
  async prepare(webServiceId: string, place: ConfinedPlace): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    // Instances may go through, but not find out what else is there.
    await chmod(this.#folder, 0o711);
    const folder = this.folderOf(webServiceId);
    await makeOwned(folder, place);
    return folder;
  }

  /** Deletes the files. No instance of the web service runs. */
  async remove(webServiceId: string): Promise<void> {
    await removeTree(this.folderOf(webServiceId));
    await this.confinement.release(diskUser(webServiceId));
  }

  folderOf(webServiceId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(webServiceId)) throw new Error(`${webServiceId} names no web service`);
    return join(this.#folder, webServiceId);
  }
}
