import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../infrastructure/disk.js';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import { makeOwned } from '../source/owned-folder.js';

/** The user that all instances of a web service with a disk run as. Only this user can enter the folder. */
export const diskUser = (webServiceId: string): string => `disk-${webServiceId}`;

/**
 * The persistent files of web services, in a folder for each below `<platform home>/disks`. They are deleted with the
 * web service.
 */
export class ServiceDisks {
  readonly #folder: string;

  constructor(
    platformHome: string,
    private readonly confinement: Pick<Confinement, 'release'>,
  ) {
    this.#folder = join(platformHome, 'disks');
  }

  /** Creates the folder if it does not exist, and returns its path. */
  async prepare(webServiceId: string, place: ConfinedPlace): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    // Instances can traverse the folder, but not list it.
    await chmod(this.#folder, 0o711);
    const folder = this.folderOf(webServiceId);
    await makeOwned(folder, place);
    return folder;
  }

  /** Deletes the files. To be called when no instance of the web service runs. */
  async remove(webServiceId: string): Promise<void> {
    await removeTree(this.folderOf(webServiceId));
    await this.confinement.release(diskUser(webServiceId));
  }

  folderOf(webServiceId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(webServiceId)) throw new Error(`${webServiceId} is not a valid web service id`);
    return join(this.#folder, webServiceId);
  }
}
