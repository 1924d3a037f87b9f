import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree, usedBytes } from '../../infrastructure/disk.js';
import { treeOf } from '../artefacts/artefact-store.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { makeOwned, makePassable } from '../source/owned-folder.js';
import type { BuildFolders } from './build-environment.js';
import { draftOf, homeOf, temporaryOf } from './build-environment.js';

/**
 * Folders of builds below `<platform home>/builds`, and their package caches below `<platform home>/cache`. A folder is created
 * before anything else of its build, so the folders also record interrupted builds.
 */
export class BuildWorkspaces {
  readonly folder: string;
  readonly #caches: string;

  constructor(
    platformHome: string,
    private readonly cacheBytes: number,
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
    const cache = join(this.#caches, webServiceId);
    await this.makeFolders();
    for (const folder of [workspace, draftOf(workspace)]) await makePassable(folder);
    if ((await isOfAnother(cache, place)) || (await usedBytes(cache)) > this.cacheBytes) await removeTree(cache);
    const owned = [homeOf(workspace), temporaryOf(workspace), treeOf(draftOf(workspace)), cache];
    for (const folder of owned) await makeOwned(folder, place);
    return { workspace, cache };
  }

  async names(): Promise<readonly string[]> {
    return readdir(this.folder).catch(() => []);
  }

  async remove(name: string): Promise<void> {
    await removeTree(join(this.folder, name));
  }

  /** Removes the package cache of a web service. */
  async removeCache(webServiceId: string): Promise<void> {
    await removeTree(join(this.#caches, webServiceId));
  }

  /** Removes all package caches, if the disk is full; the next builds download their packages again. */
  async dropCaches(): Promise<void> {
    await removeTree(this.#caches);
  }
}

/** Earlier releases could assign one user to two web services. */
const isOfAnother = async (folder: string, { owner }: ConfinedPlace): Promise<boolean> => {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && owner !== undefined && found.uid !== owner.uid;
};
