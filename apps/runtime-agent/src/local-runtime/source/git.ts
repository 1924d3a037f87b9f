import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canPin, gitEnvironment, OLD_GIT } from '../../infrastructure/git/git-environment.js';
import { GIT_SETTINGS } from '../../infrastructure/git/git-settings.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import type { ConfinedPlace } from '../instances/confinement.js';
import { runConfined } from '../sandbox/confined-run.js';

export interface GitOptions {
  readonly platformHome: string;
  /** `file://` is for platforms that their owner alone uses. */
  readonly allowFiles: boolean;
  /** Where git and ssh are looked for. */
  readonly path: string;
  /** Proxies and certificate authorities of the host, handed on to git alone. */
  readonly network: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly ok: boolean;
  readonly output: string;
  readonly errors: string;
}

/** Where git runs, and what marks its processes. */
export interface GitFolders {
  readonly directory: string;
  /** A folder of the place's owner, for what ssh wants to remember. */
  readonly home: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** For commands that connect to nothing. */
export const NO_REMOTE: PinnedRemote = { url: '', curlResolve: undefined, sshOptions: [] };

const MOST_OUTPUT = 8 * 2 ** 20;

/** The system's git, run inside a confined place. */
export class Git {
  #settings: Promise<string> | undefined;
  #canPin: Promise<boolean> | undefined;

  constructor(private readonly options: GitOptions) {}

  /** Connects to the addresses of the remote and to no others. */
  async run(
    place: ConfinedPlace,
    remote: PinnedRemote,
    args: readonly string[],
    folders: GitFolders,
    signal: AbortSignal,
  ): Promise<GitAnswer> {
    const { curlResolve } = remote;
    if (curlResolve === undefined) return this.#run(place, remote, args, folders, signal);
    this.#canPin ??= this.#run(place, NO_REMOTE, ['version'], folders, signal).then(({ output }) => canPin(output));
    const works = await this.#canPin.catch((error: unknown) => {
      this.#canPin = undefined;
      throw error;
    });
    if (!works) return { ok: false, output: '', errors: OLD_GIT };
    return this.#run(place, remote, ['-c', `http.curloptResolve=${curlResolve}`, ...args], folders, signal);
  }

  async #run(
    place: ConfinedPlace,
    remote: PinnedRemote,
    args: readonly string[],
    folders: GitFolders,
    signal: AbortSignal,
  ): Promise<GitAnswer> {
    const said = { stdout: '', stderr: '' };
    const exit = await runConfined(
      place,
      {
        argv: ['git', ...args],
        directory: folders.directory,
        environment: { ...(await this.#environment(folders.home, remote)), ...folders.marks },
        onOutput: (chunk, stream) => {
          if (said[stream].length < MOST_OUTPUT) said[stream] += chunk.toString('utf8');
        },
      },
      signal,
    );
    return { ok: 'code' in exit && exit.code === 0, output: said.stdout, errors: said.stderr };
  }

  async #environment(home: string, remote: PinnedRemote): Promise<Record<string, string>> {
    const { platformHome, allowFiles, path, network } = this.options;
    this.#settings ??= writeSettings(platformHome);
    return {
      ...network,
      PATH: path,
      HOME: home,
      TMPDIR: home,
      ...gitEnvironment(await this.#settings, remote, allowFiles),
    };
  }
}

/** Whole at any moment: another run of the platform may have a git reading it. */
const writeSettings = async (platformHome: string): Promise<string> => {
  const path = join(platformHome, 'git-settings');
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, GIT_SETTINGS, { mode: 0o644 });
  await rename(draft, path);
  return path;
};
