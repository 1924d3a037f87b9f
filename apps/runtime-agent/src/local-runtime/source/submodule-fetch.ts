import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceUnavailable } from '@postern/runtime';
import { projectIn } from '../../infrastructure/builders/project.js';
import { displayedUrl } from '../../infrastructure/git/git-refusals.js';
import {
  credentialsForSubmodule,
  isInnerPath,
  type Submodule,
  submoduleAddress,
  submodulesIn,
} from '../../infrastructure/git/submodules.js';
import { type Git, NO_REMOTE } from './git.js';
import type { Checkout, CommitSource } from './repository-sources.js';

/** Maximum nesting below the repository, and maximum number of submodules on all levels. */
const MAX_LEVELS = 3;
const MAX_SUBMODULES = 30;
/** Further sections of .gitmodules are ignored. */
const MAX_SECTIONS = 200;

const OTHER_SERVER =
  'the deploy key of the repository is not sent to another server; use its https:// address if it is public';

/** Checks out the commit of a source in the folder of the checkout. @throws SourceUnavailable with the reason. */
export type FetchCommit = (source: CommitSource, checkout: Checkout, signal: AbortSignal) => Promise<void>;

/**
 * Fetches the submodules of a repository, each with the checks and the address pinning of a repository. Logs the reason if one
 * cannot be fetched, and leaves its folder empty.
 */
export class SubmoduleFetch {
  #left = MAX_SUBMODULES;

  constructor(
    private readonly git: Git,
    private readonly fetchCommit: FetchCommit,
    /** The repository. Its credentials are sent only to its own server. */
    private readonly root: CommitSource,
    private readonly log: (line: string) => void,
  ) {}

  /** @param at the checkout of the repository with the submodules; `prefix` is its path in the log. */
  async fetch(url: string, at: Checkout, signal: AbortSignal, prefix = '', level = 1): Promise<void> {
    for (const submodule of await this.#listed(at, signal)) {
      const name = `${prefix}${submodule.path}`;
      try {
        await this.#fetchOne(submodule, { url, at, name, level }, signal);
      } catch (error) {
        if (!(error instanceof SourceUnavailable)) throw error;
        this.log(`.gitmodules found: the submodule ${shown(name)} is not fetched: ${error.message}`);
      }
    }
  }

  async #fetchOne(
    { path, url }: Submodule,
    parent: { readonly url: string; readonly at: Checkout; readonly name: string; readonly level: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { at, name, level } = parent;
    if (!isInnerPath(path)) throw new SourceUnavailable('its path does not name a folder of the repository');
    const commit = await this.#commitAt(path, at, signal);
    if (commit === undefined) throw new SourceUnavailable('the repository does not contain a commit for it');
    const address = submoduleAddress(parent.url, url);
    if ('refusal' in address) throw new SourceUnavailable(address.refusal);
    if (level > MAX_LEVELS) throw new SourceUnavailable(`submodules are fetched at most ${MAX_LEVELS} levels deep`);
    if (this.#left === 0) throw new SourceUnavailable(`at most ${MAX_SUBMODULES} submodules are fetched`);
    this.#left -= 1;
    const directory = join(at.directory, path);
    if (!(await isEmptyFolder(at.directory, path))) throw new SourceUnavailable('its folder is not empty');
    const credentials = credentialsForSubmodule(address.url, this.root.repositoryUrl, this.root.credentials);
    if (!address.url.startsWith('http') && !credentials.ssh) throw new SourceUnavailable(OTHER_SERVER);
    const site = { ...at, directory };
    await this.fetchCommit({ repositoryUrl: address.url, commit, credentials }, site, signal).catch(async error => {
      await emptyFolder(directory);
      throw error;
    });
    this.log(`.gitmodules found: the submodule ${name} is fetched from ${displayedUrl(address.url)} at ${commit}`);
    await this.fetch(address.url, site, signal, `${name}/`, level + 1);
    await rm(join(directory, '.git'), { recursive: true, force: true });
  }

  /** The submodules in .gitmodules, as git parses it; none if it is not a regular file. */
  async #listed(at: Checkout, signal: AbortSignal): Promise<readonly Submodule[]> {
    if (!(await projectIn(at.directory).has('.gitmodules'))) return [];
    const keys = '^submodule\\..*\\.(path|url)$';
    const args = ['config', '--null', '--no-includes', '--file', '.gitmodules', '--get-regexp', keys];
    const { output } = await this.git.run(at.place, NO_REMOTE, args, at, signal);
    return submodulesIn(output).slice(0, MAX_SECTIONS);
  }

  /** The commit of the submodule at the path; undefined if the repository has no submodule there. */
  async #commitAt(path: string, at: Checkout, signal: AbortSignal): Promise<string | undefined> {
    const args = ['--literal-pathspecs', 'ls-tree', '-z', 'HEAD', '--', path];
    const { output } = await this.git.run(at.place, NO_REMOTE, args, at, signal);
    const [, commit, found] = /^160000 commit ([0-9a-f]{40}|[0-9a-f]{64})\t([^\0]*)\0$/.exec(output) ?? [];
    return found === path ? commit : undefined;
  }
}

/** Makes a name safe for the log: names come from the repository. */
const shown = (name: string): string => name.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200);

/** Whether the folder that git creates for a submodule is empty, and no part of its path is a link. */
const isEmptyFolder = async (root: string, path: string): Promise<boolean> => {
  let at = root;
  for (const name of path.split('/')) {
    at = join(at, name);
    if (!(await lstat(at).catch(() => undefined))?.isDirectory()) return false;
  }
  return (await readdir(at)).length === 0;
};

/** Deletes the files of a failed fetch. */
const emptyFolder = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
};
