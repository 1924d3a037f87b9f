import { randomUUID } from 'node:crypto';
import { access, chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BuildOrder,
  type CommitDescription,
  type ResolvedSource,
  type Source,
  SourceUnavailable,
} from '@postern/runtime';
import { commitDescription, DESCRIBE_COMMIT } from '../../infrastructure/git/commit-description.js';
import { describeGitError, displayedUrl } from '../../infrastructure/git/git-refusals.js';
import type { PinnedRemote, PinnedRemotes } from '../../infrastructure/git/pinned-remotes.js';
import { pickBranch, requestedRefs } from '../../infrastructure/git/remote-branches.js';
import type { ConfinedPlace, Confinement } from '../instances/confinement.js';
import { type Git, NO_REMOTE } from './git.js';
import { removeStrayLinks } from './links.js';
import { makeOwned } from './owned-folder.js';
import { SubmoduleFetch } from './submodule-fetch.js';

export interface SourceTimes {
  readonly resolveMs: number;
  readonly fetchMs: number;
}

export const SOURCE_TIMES: SourceTimes = { resolveMs: 30_000, fetchMs: 5 * 60_000 };

/** The names by which leftovers of source requests are found. */
export interface SourceBase {
  readonly folder: string;
  readonly idPrefix: string;
  /** The variable that holds the id of the place. */
  readonly marker: string;
  /** Ids of requests in progress, which are not leftovers. */
  readonly underWay: Set<string>;
}

/** The commit to build. */
export type CommitSource = Pick<BuildOrder, 'repositoryUrl' | 'commit' | 'credentials'>;

/** For errors of commands that connect to no server. */
const EVERYTHING = { disclosesAllErrors: true };

/** Where a source is fetched to, and as which user. */
export interface Checkout {
  readonly place: ConfinedPlace;
  /** An empty folder that belongs to the place's owner. */
  readonly directory: string;
  readonly home: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** Git repositories as sources. Git runs as a separate user, because repositories and their servers are not trusted. */
export class RepositorySources {
  constructor(
    private readonly git: Git,
    private readonly remotes: PinnedRemotes,
    private readonly confinement: Confinement,
    private readonly base: SourceBase,
    private readonly times: SourceTimes,
  ) {}

  async resolve(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const { repositoryUrl: url } = source;
    const remote = await this.remotes.pin(url, source.credentials);
    const id = `${this.base.idPrefix}source-${randomUUID()}`;
    const home = join(this.base.folder, id);
    const place = await this.confinement.find(id);
    this.base.underWay.add(id);
    try {
      await mkdir(this.base.folder, { recursive: true });
      await chmod(this.base.folder, 0o711);
      const inside = await this.confinement.prepare(id);
      await makeOwned(home, inside);
      const folders = { directory: home, home, marks: { [this.base.marker]: id } };
      const args = ['ls-remote', '--symref', '--', remote.url, ...requestedRefs(source)];
      const { ok, output, errors, hostKeys } = await this.#inTime(url, this.times.resolveMs, signal, limit =>
        this.git.run(inside, remote, args, folders, limit),
      );
      if (!ok) throw new SourceUnavailable(await this.#why(errors, remote, url));
      const picked = pickBranch(output, source);
      if (typeof picked === 'string') throw new SourceUnavailable(picked);
      return { ...picked, ...(hostKeys !== undefined && { hostKeys }) };
    } finally {
      try {
        await place.clear();
        await rm(home, { recursive: true, force: true });
      } finally {
        this.base.underWay.delete(id);
      }
    }
  }

  /**
   * Checks out exactly this commit in the directory, with the submodules that can be fetched; `log` receives a line for each.
   * Resolves with the description of the commit.
   * @throws SourceUnavailable, or the signal's reason.
   */
  async checkOut(
    source: CommitSource,
    checkout: Checkout,
    log: (line: string) => void,
    signal: AbortSignal,
  ): Promise<CommitDescription | undefined> {
    const { repositoryUrl: url } = source;
    const fetchCommit = (of: CommitSource, to: Checkout, until: AbortSignal) => this.#fetchCommit(of, to, until);
    await fetchCommit(source, checkout, signal);
    const { output } = await this.git.run(checkout.place, NO_REMOTE, DESCRIBE_COMMIT, checkout, signal);
    const submodules = new SubmoduleFetch(this.git, fetchCommit, source, log);
    await this.#inTime(url, this.times.fetchMs, signal, limit => submodules.fetch(url, checkout, limit));
    await removeStrayLinks(checkout.directory, log);
    return commitDescription(output);
  }

  async #fetchCommit(source: CommitSource, checkout: Checkout, signal: AbortSignal): Promise<void> {
    const { repositoryUrl: url, commit } = source;
    const remote = await this.remotes.pin(url, source.credentials);
    await this.#inTime(url, this.times.fetchMs, signal, limit => this.#checkOut(remote, commit, checkout, limit));
  }

  async #checkOut(remote: PinnedRemote, commit: string, checkout: Checkout, signal: AbortSignal): Promise<void> {
    const { url } = remote;
    const { place } = checkout;
    const git = (...args: readonly string[]) => this.git.run(place, NO_REMOTE, args, checkout, signal);
    const fetch = (...args: readonly string[]) => this.git.run(place, remote, ['fetch', ...args], checkout, signal);
    const format = commit.length === 64 ? 'sha256' : 'sha1';
    const made = await git(
      'init',
      '--quiet',
      '--template=',
      `--object-format=${format}`,
      '--initial-branch=fetched',
      '.',
    );
    if (!made.ok) throw new SourceUnavailable(describeGitError(made.errors, url, EVERYTHING));
    const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const exactly = await fetch(...options, '--depth=1', '--', url, commit);
    if (!exactly.ok) {
      // Older servers send only whole branches, or no shallow ones.
      const all = await fetch(...options, '--', url, '+refs/heads/*:refs/fetched/*');
      if (!all.ok) throw new SourceUnavailable(await this.#why(all.errors, remote, url));
    }
    const { ok, errors } = await git('checkout', '--quiet', '--detach', commit);
    if (!ok && !/pathspec|reference is not a tree|unable to read tree/.test(errors))
      throw new SourceUnavailable(describeGitError(errors, url, EVERYTHING));
    const head = ok ? (await git('rev-parse', '--verify', 'HEAD')).output.trim() : '';
    if (head !== commit)
      throw new SourceUnavailable(
        `the commit ${commit.slice(0, 12)} is no longer in the repository ${displayedUrl(url)}`,
      );
  }

  async #inTime<T>(url: string, ms: number, signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(ms);
    try {
      return await work(AbortSignal.any([signal, limit]));
    } catch (error) {
      if (error !== limit.reason) throw error;
      throw new SourceUnavailable(`the repository ${displayedUrl(url)} did not answer within ${ms / 1_000} s`);
    }
  }

  /** Git reports a repository as missing if its user may not read the folder. */
  async #why(errors: string, remote: PinnedRemote, url: string): Promise<string> {
    const reason = describeGitError(errors, url, this.remotes, remote.access?.kind);
    if (!url.startsWith('file:') || !/^there is no repository|^permission to read the repository/.test(reason))
      return reason;
    const path = fileURLToPath(url);
    const there = await access(path).then(
      () => true,
      () => false,
    );
    return there ? `${path} is not a Git repository, or the build user cannot read it` : reason;
  }
}
