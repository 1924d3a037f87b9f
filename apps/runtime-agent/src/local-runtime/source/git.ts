import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canPin, gitEnvironment, OLD_GIT } from '../../infrastructure/git/git-environment.js';
import { GIT_SETTINGS } from '../../infrastructure/git/git-settings.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import { newHostKeys, withoutToken } from '../../infrastructure/git/remote-access.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { runConfined } from '../sandbox/confined-run.js';
import { GitAccessFolder } from './git-access-folder.js';

export interface GitOptions {
  readonly platformHome: string;
  /** Whether `file://` is allowed: for installations that only their owner uses. */
  readonly allowFiles: boolean;
  /** The PATH for git and ssh. */
  readonly path: string;
  /** Proxies and certificate authorities of the host, passed to git only. */
  readonly network: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly ok: boolean;
  readonly output: string;
  readonly errors: string;
  /** The `known_hosts` lines of an SSH server after the first connection to it. */
  readonly hostKeys?: string | undefined;
}

/** The folders of a git command, and the variables that mark its processes. */
export interface GitFolders {
  readonly directory: string;
  /** A folder of the place's owner, where ssh can write files. */
  readonly home: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** For commands that connect to nothing. */
export const NO_REMOTE: PinnedRemote = { url: '', curlResolve: undefined, sshOptions: [] };

const MAX_OUTPUT = 8 * 2 ** 20;

/** The system's git, run inside a confined place. */
export class Git {
  #settings: Promise<string> | undefined;
  #canPin: Promise<boolean> | undefined;

  constructor(private readonly options: GitOptions) {}

  /** Runs git with the credentials of the remote. Git connects only to the pinned addresses of the remote. */
  async run(
    place: ConfinedPlace,
    remote: PinnedRemote,
    args: readonly string[],
    folders: GitFolders,
    signal: AbortSignal,
  ): Promise<GitAnswer> {
    const plain: GitSite = { ...folders, wrap: argv => place.wrap(argv) };
    const { curlResolve, access } = remote;
    if (curlResolve !== undefined && !(await this.#pins(plain, signal)))
      return { ok: false, output: '', errors: OLD_GIT };
    const pinned = curlResolve === undefined ? args : ['-c', `http.curloptResolve=${curlResolve}`, ...args];
    if (!access) return this.#run(plain, remote, pinned, signal);
    const folder = await GitAccessFolder.make(folders.home, remote, place);
    try {
      const site = access.kind === 'ssh' ? await inNamespaces(place, folders) : plain;
      const answer = await this.#run(site, remote, pinned, signal, join(site.home, basename(folder.path)));
      const hostKeys = newHostKeys(access, await folder.knownHosts());
      return { ...answer, errors: withoutToken(answer.errors, access), hostKeys };
    } finally {
      await folder.remove();
    }
  }

  async #pins(site: GitSite, signal: AbortSignal): Promise<boolean> {
    this.#canPin ??= this.#run(site, NO_REMOTE, ['version'], signal).then(({ output }) => canPin(output));
    return this.#canPin.catch((error: unknown) => {
      this.#canPin = undefined;
      throw error;
    });
  }

  /** @param access path of the credentials folder as the processes see it. */
  async #run(
    { wrap, directory, home, marks }: GitSite,
    remote: PinnedRemote,
    args: readonly string[],
    signal: AbortSignal,
    access?: string,
  ): Promise<GitAnswer> {
    const output = { stdout: '', stderr: '' };
    const exit = await runConfined(
      { wrap },
      {
        argv: ['git', ...args],
        directory,
        environment: { ...(await this.#environment(home, remote, access)), ...marks },
        onOutput: (chunk, stream) => {
          if (output[stream].length < MAX_OUTPUT) output[stream] += chunk.toString('utf8');
        },
      },
      signal,
    );
    return { ok: 'code' in exit && exit.code === 0, output: output.stdout, errors: output.stderr };
  }

  async #environment(home: string, remote: PinnedRemote, access?: string): Promise<Record<string, string>> {
    const { platformHome, allowFiles, path, network } = this.options;
    this.#settings ??= writeSettings(platformHome);
    const settings = access === undefined ? await this.#settings : join(access, 'gitconfig');
    const paths = { settings, access: access ?? home };
    return { ...network, PATH: path, HOME: home, TMPDIR: home, ...gitEnvironment(paths, remote, allowFiles) };
  }
}

/** The folders of a git command by the paths that its processes see. */
interface GitSite extends GitFolders {
  readonly wrap: (argv: readonly string[]) => readonly string[];
}

/** Uses the network of the machine, as git over HTTP does: only to addresses that were checked. Uses a sandbox, because ssh requires a passwd entry for its user, which a sandbox provides. */
const inNamespaces = async (place: ConfinedPlace, { directory, home, marks }: GitFolders): Promise<GitSite> => {
  const view = await place.view({ app: directory, appWritable: true, home, temporary: home }, 'machine');
  return { directory: view.startDirectory, home: view.folders.home, marks, wrap: argv => view.wrap(argv, '.') };
};

/** Replaces the file atomically, because git may read it in another Postern process. */
const writeSettings = async (platformHome: string): Promise<string> => {
  const path = join(platformHome, 'git-settings');
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, GIT_SETTINGS, { mode: 0o644 });
  await rename(draft, path);
  return path;
};
