import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeTree, usedBytes } from '../../infrastructure/disk.js';
import { treeOf } from '../artefacts/artefact-store.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { levelAt } from '../sandbox/areas/area-level.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import { makeOwned, makePassable } from '../source/owned-folder.js';
import type { BuildFolders } from './build-environment.js';
import { areaOf, draftOf, homeOf, temporaryOf } from './build-environment.js';
import type { BuildLimits } from './build-limits.js';

const run = promisify(execFile);

/** Mount point of the image of a package cache, and the folder in it that the build sees. */
const CACHE = 'cache';
const PACKAGES = 'packages';

/**
 * Folders of builds below `<platform home>/builds`, and their package caches below `<platform home>/cache`. A folder is created
 * before anything else of its build, so the folders also record interrupted builds. With images, the kernel limits both.
 */
export class BuildWorkspaces {
  readonly folder: string;
  readonly #caches: string;

  constructor(
    platformHome: string,
    private readonly limits: Pick<BuildLimits, 'cacheBytes' | 'diskBytes'>,
    private readonly images: DiskImages | undefined,
  ) {
    this.folder = join(platformHome, 'builds');
    this.#caches = join(platformHome, 'cache');
  }

  async makeFolders(): Promise<void> {
    for (const folder of [this.folder, this.#caches]) await makePassable(folder);
  }

  /**
   * Creates empty folders. The place's owner gets the folders inside the workspace, but not the workspace itself, where it could
   * create links.
   */
  async make(name: string, webServiceId: string, place: ConfinedPlace): Promise<BuildFolders> {
    const workspace = join(this.folder, name);
    const area = areaOf(workspace);
    await this.makeFolders();
    for (const folder of [workspace, area]) await makePassable(folder);
    if (this.images) {
      const path = join(workspace, 'area.img');
      await this.images.make({ path, content: area, bytes: this.limits.diskBytes, isKept: false });
      await this.images.mount(path, area);
      await chmod(area, 0o711);
    }
    await makePassable(draftOf(workspace));
    const cache = this.images
      ? await this.#mountedCache(this.images, workspace, webServiceId, place)
      : await this.#cacheFolder(webServiceId, place);
    for (const folder of [homeOf(workspace), temporaryOf(workspace), treeOf(draftOf(workspace)), cache])
      await makeOwned(folder, place);
    return { workspace, cache, isLimited: this.images !== undefined };
  }

  /** Moves the result of a build to the file system of the artefacts. @returns its path. @throws the signal's reason if it aborts. */
  async takeOut(workspace: string, signal: AbortSignal): Promise<string> {
    if (!this.images) return draftOf(workspace);
    const path = join(workspace, 'artefact');
    const copy = run('cp', ['--archive', '--', draftOf(workspace), path], { signal });
    await copy.catch((error: { stderr?: string }) => {
      signal.throwIfAborted();
      throw /No space left/.test(error.stderr ?? '') ? Object.assign(new Error('no space'), { code: 'ENOSPC' }) : error;
    });
    return path;
  }

  async names(): Promise<readonly string[]> {
    return readdir(this.folder).catch(() => []);
  }

  async remove(name: string): Promise<void> {
    const workspace = join(this.folder, name);
    for (const mounted of [areaOf(workspace), join(workspace, CACHE)]) await this.images?.unmount(mounted);
    await removeTree(workspace);
  }

  /** Removes the package cache of a web service. */
  async removeCache(webServiceId: string): Promise<void> {
    const cache = join(this.#caches, webServiceId);
    for (const path of [cache, `${cache}.img`, `${cache}.img.draft`]) await removeTree(path);
  }

  /** Removes all package caches, if the disk is full; the next builds download their packages again. */
  async dropCaches(): Promise<void> {
    await removeTree(this.#caches);
  }

  async #cacheFolder(webServiceId: string, place: ConfinedPlace): Promise<string> {
    const cache = join(this.#caches, webServiceId);
    if ((await isOfAnother(cache, place)) || (await usedBytes(cache)) > this.limits.cacheBytes) await removeTree(cache);
    return cache;
  }

  /** Mounts the cache in the workspace, and replaces a cache that is too large or damaged. */
  async #mountedCache(
    images: DiskImages,
    workspace: string,
    webServiceId: string,
    place: ConfinedPlace,
  ): Promise<string> {
    const path = join(this.#caches, `${webServiceId}.img`);
    const at = join(workspace, CACHE);
    const packages = join(at, PACKAGES);
    await makePassable(at);
    if (existsSync(path)) {
      const isUsable = await this.#mountKept(images, path, at).catch(() => false);
      if (isUsable && !(await isOfAnother(packages, place))) return packages;
      await images.unmount(at);
    }
    await this.removeCache(webServiceId);
    await images.make({ path, content: at, bytes: this.limits.diskBytes, isKept: true });
    await images.mount(path, at);
    await chmod(at, 0o711);
    return packages;
  }

  async #mountKept(images: DiskImages, path: string, at: string): Promise<boolean> {
    await images.prepare(path, this.limits.diskBytes);
    await images.mount(path, at);
    return (await levelAt(at)).usedBytes <= this.limits.cacheBytes;
  }
}

/** Whether builds had other users when they wrote the cache, such as that of an agent that did not run as root. */
const isOfAnother = async (folder: string, { owner }: ConfinedPlace): Promise<boolean> => {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && owner !== undefined && found.uid !== owner.uid;
};
