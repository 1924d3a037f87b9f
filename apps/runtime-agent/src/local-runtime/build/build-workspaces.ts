import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree, usedBytes } from '../../infrastructure/disk.js';
import { treeOf } from '../artefacts/artefact-store.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { makeOwned } from '../source/owned-folder.js';
import type { BuildFolders } from './build-environment.js';
import { draftOf, homeOf, temporaryOf } from './build-environment.js';

/**
 * Folders of builds below `<platform home>/builds`, and of what they keep for the next one below `cache`. A folder is
 * there before anything of its build is, so the folders are also the instance records of builds that were cut off.
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

  /** Empty ones, of which the place's owner gets what is inside and not the frame, so that it cannot put links there. */
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

  /** What the builds of a web service have kept for the next one. */
  async removeCache(webServiceId: string): Promise<void> {
    await removeTree(join(this.#caches, webServiceId));
  }

  /** When there is no space; the next builds fetch what they need again. */
  async dropCaches(): Promise<void> {
    await removeTree(this.#caches);
  }
}

/** An earlier release could give two services one user. */
const isOfAnother = async (folder: string, { owner }: ConfinedPlace): Promise<boolean> => {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && owner !== undefined && found.uid !== owner.uid;
};

const makePassable = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
};
