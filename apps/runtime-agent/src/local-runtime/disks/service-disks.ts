import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../infrastructure/disk.js';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import { makeOwned, makePassable } from '../source/owned-folder.js';

/** The user that all instances of a web service with a disk run as. Only this user can enter the folder. */
export const diskUser = (webServiceId: string): string => `disk-${webServiceId}`;

const MIB = 2 ** 20;
/** The folder in an image that holds the files. The owner of the disk does not own the root folder of the image. */
const FILES = 'files';

export interface PreparedDisk {
  readonly folder: string;
  /** Set if the folder is in an image. */
  readonly image?: { readonly path: string; readonly folder: string };
}

/**
 * The persistent files of web services below `<platform home>/disks`: an image for each, or a folder if images cannot be mounted. They
 * are deleted with the web service.
 */
export class ServiceDisks {
  readonly #folder: string;

  constructor(
    platformHome: string,
    private readonly confinement: Pick<Confinement, 'release'>,
    private readonly images: DiskImages | undefined,
  ) {
    this.#folder = join(platformHome, 'disks');
  }

  /**
   * Creates the disk if it does not exist, and enlarges it. No instance of the web service may run.
   * @throws if the disk is an image, and this machine can no longer mount images.
   */
  async prepare(webServiceId: string, place: ConfinedPlace, sizeMib: number): Promise<PreparedDisk> {
    await mkdir(this.#folder, { recursive: true });
    await makePassable(this.#folder);
    const folder = this.folderOf(webServiceId);
    const path = this.imageOf(webServiceId);
    if (!this.images) {
      if (existsSync(path))
        throw new Error(
          'the disk cannot be mounted: it was created by Postern as root on a machine with loop devices and e2fsprogs',
        );
      // Left by a start that could not complete the image.
      const files = join(this.#draftOf(webServiceId), FILES);
      if (existsSync(files) && !existsSync(folder)) await rename(files, folder);
      await makeOwned(folder, place);
      return { folder };
    }
    if (existsSync(path)) {
      await removeTree(this.#draftOf(webServiceId));
      await this.images.prepare(path, sizeMib * MIB);
    } else await this.#makeImage(this.images, webServiceId, place, sizeMib);
    const at = this.#mountPointOf(webServiceId);
    await makePassable(at);
    return { folder: join(at, FILES), image: { path, folder: at } };
  }

  /** Deletes the files. To be called when no instance of the web service runs. */
  async remove(webServiceId: string): Promise<void> {
    await removeTree(this.folderOf(webServiceId));
    for (const path of [this.imageOf(webServiceId), this.#draftOf(webServiceId), this.#mountPointOf(webServiceId)])
      await removeTree(path);
    await this.confinement.release(diskUser(webServiceId));
  }

  folderOf(webServiceId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(webServiceId)) throw new Error(`${webServiceId} is not a valid web service id`);
    return join(this.#folder, webServiceId);
  }

  imageOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.img`;
  }

  #mountPointOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.mount`;
  }

  #draftOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.draft`;
  }

  /** A folder from before the machine had images becomes the content of the image; it is deleted when that is complete. */
  async #makeImage(images: DiskImages, webServiceId: string, place: ConfinedPlace, sizeMib: number): Promise<void> {
    const draft = this.#draftOf(webServiceId);
    const files = join(draft, FILES);
    await mkdir(draft, { recursive: true, mode: 0o711 });
    // After an interrupted start the files are already in the draft.
    if (!existsSync(files) && existsSync(this.folderOf(webServiceId))) await rename(this.folderOf(webServiceId), files);
    await makeOwned(files, place);
    const path = this.imageOf(webServiceId);
    await images.make({ path, content: draft, bytes: sizeMib * MIB, isKept: true });
    await removeTree(draft);
  }
}
