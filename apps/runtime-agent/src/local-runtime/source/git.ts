import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfinedPlace } from '../instances/confinement.js';
import { runConfined } from '../sandbox/confined-run.js';
import { GIT_SETTINGS } from './git-settings.js';

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

const MOST_OUTPUT = 8 * 2 ** 20;

/** The system's git, run inside a confined place. */
export class Git {
  #settings: Promise<string> | undefined;

  constructor(private readonly options: GitOptions) {}

  /** @param home a folder of the place's owner, for what ssh wants to remember. */
  async run(
    place: ConfinedPlace,
    args: readonly string[],
    folders: { readonly directory: string; readonly home: string; readonly marks: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<GitAnswer> {
    const said = { stdout: '', stderr: '' };
    const exit = await runConfined(
      place,
      {
        argv: ['git', ...args],
        directory: folders.directory,
        environment: { ...(await this.#environment(folders.home)), ...folders.marks },
        onOutput: (chunk, stream) => {
          if (said[stream].length < MOST_OUTPUT) said[stream] += chunk.toString('utf8');
        },
      },
      signal,
    );
    return { ok: 'code' in exit && exit.code === 0, output: said.stdout, errors: said.stderr };
  }

  async #environment(home: string): Promise<Record<string, string>> {
    const { platformHome, allowFiles, path, network } = this.options;
    this.#settings ??= writeSettings(platformHome);
    return {
      ...network,
      PATH: path,
      HOME: home,
      TMPDIR: home,
      // Words of errors are looked for in English.
      LC_ALL: 'C.UTF-8',
      LANGUAGE: 'en',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: await this.#settings,
      GIT_ALLOW_PROTOCOL: `https:http:ssh${allowFiles ? ':file' : ''}`,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '/bin/false',
      SSH_ASKPASS: '/bin/false',
      GIT_LFS_SKIP_SMUDGE: '1',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15 -o StrictHostKeyChecking=accept-new',
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
