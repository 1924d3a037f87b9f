import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../infrastructure/disk.js';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import { makeOwned, makePassable } from '../source/owned-folder.js';

/** The user that all instances of a web service with a disk run as. Only this user can enter the folder. */
export const diskUser = (webServiceId: string): string => `disk-${webServiceId}`;

const MIB = 2 ** 20;
/** The folder in an image that holds the files. The owner of the disk does not own the root folder of the image. */
export const FILES = 'files';

/** The inode tells whether the disk is still the one that the restore made. */
interface Restored {
  readonly restoreId: string;
  readonly inode: number;
}

/** The disk is needed by an instance; what was aborted can be repeated. */
export class DiskBusy extends Error {
  override readonly name = 'DiskBusy';

  constructor() {
    super('instances that use the disk start and end all the time');
  }
}

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
  /** What reads or replaces a disk beside its instance, by web service. */
  readonly #uses = new Map<string, { readonly abort: AbortController; readonly done: Promise<unknown> }>();

  constructor(
    platformHome: string,
    private readonly confinement: Pick<Confinement, 'release'>,
    readonly images: DiskImages | undefined,
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
    await this.#endUse(webServiceId);
    await this.completeReplacement(webServiceId);
    const folder = this.folderOf(webServiceId);
    const path = this.imageOf(webServiceId);
    if (!this.images) {
      this.requireImages(webServiceId);
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

  /** Deletes the files and their backups. To be called when no instance of the web service runs. */
  async remove(webServiceId: string): Promise<void> {
    await this.#endUse(webServiceId);
    const folder = this.folderOf(webServiceId);
    for (const suffix of ['', '.img', '.draft', '.mount', '.backups', '.beside', '.copy', '.restored'])
      await removeTree(`${folder}${suffix}`);
    await this.confinement.release(diskUser(webServiceId));
  }

  /** Calls `use`; the start of an instance with the disk, and its deletion, abort it and wait for its end. One use at a time. */
  async use<Result>(webServiceId: string, use: (aborted: AbortSignal) => Promise<Result>): Promise<Result> {
    await this.#endUse(webServiceId);
    const abort = new AbortController();
    const result = use(abort.signal);
    const done = result.catch(() => undefined);
    this.#uses.set(webServiceId, { abort, done });
    return result.finally(() => {
      if (this.#uses.get(webServiceId)?.abort === abort) this.#uses.delete(webServiceId);
    });
  }

  /** @throws if the disk is an image, and this machine can no longer mount images. */
  requireImages(webServiceId: string): void {
    if (!this.images && existsSync(this.imageOf(webServiceId)))
      throw new Error(
        'the disk cannot be mounted: it was created by Postern as root on a machine with loop devices and e2fsprogs',
      );
  }

  /** Whether a restore has replaced the disk. */
  async isRestored(webServiceId: string, restoreId: string): Promise<boolean> {
    const found = await stat(this.#currentOf(webServiceId)).catch(() => undefined);
    // It is incomplete after an interruption.
    const last: Partial<Restored> = await readFile(this.#restoredOf(webServiceId), 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    return last.restoreId === restoreId && last.inode === found?.ino;
  }

  /**
   * Replaces the disk by the image or folder at `path`, which is on the same file system. To be called when no instance of the web
   * service runs.
   */
  async replace(webServiceId: string, path: string, restoreId: string): Promise<void> {
    await this.#endUse(webServiceId);
    const current = this.#currentOf(webServiceId);
    if (this.images && existsSync(current)) await this.images.released(current);
    const restored: Restored = { restoreId, inode: (await stat(path)).ino };
    await writeFile(this.#restoredOf(webServiceId), JSON.stringify(restored), { mode: 0o600, flush: true });
    if (this.images) {
      await rename(path, current);
      await removeTree(this.folderOf(webServiceId));
    } else {
      // A folder with files cannot be replaced in one step; `completeReplacement` continues after an interruption.
      await rename(path, this.#nextOf(webServiceId));
      await rename(current, join(this.besideOf(webServiceId), 'before')).catch(ignoreMissing);
      await rename(this.#nextOf(webServiceId), current);
    }
    await flush(this.#folder);
  }

  /** Completes a replacement that was interrupted when the disk had already been moved away. */
  async completeReplacement(webServiceId: string): Promise<void> {
    const next = this.#nextOf(webServiceId);
    if (!this.images && existsSync(next) && !existsSync(this.folderOf(webServiceId)))
      await rename(next, this.folderOf(webServiceId));
  }

  /** The folder of work that has not become the disk yet. */
  besideOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.beside`;
  }

  backupsOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.backups`;
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

  #currentOf(webServiceId: string): string {
    return this.images ? this.imageOf(webServiceId) : this.folderOf(webServiceId);
  }

  #nextOf(webServiceId: string): string {
    return join(this.besideOf(webServiceId), 'next');
  }

  #restoredOf(webServiceId: string): string {
    return `${this.folderOf(webServiceId)}.restored`;
  }

  async #endUse(webServiceId: string): Promise<void> {
    for (let use = this.#uses.get(webServiceId); use; use = this.#uses.get(webServiceId)) {
      use.abort.abort(new DiskBusy());
      await use.done;
    }
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

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

/** A rename in the folder is durable only after that. */
const flush = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};
