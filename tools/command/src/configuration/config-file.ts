import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.js';

/** The configuration that `postern login` stores. */
export interface StoredConfig {
  readonly url?: string;
  readonly email_key?: string;
  readonly platform_key?: string;
  readonly session?: StoredSession;
}

export interface StoredSession {
  readonly email: string;
  readonly token: string;
  readonly expires_at: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `postern/config.json` in XDG_CONFIG_HOME, if that is an absolute path, otherwise in `~/.config`. */
export const configPath = (environment: Environment): string => {
  const folder = environment['XDG_CONFIG_HOME'];
  return join(folder?.startsWith('/') ? folder : join(homedir(), '.config'), 'postern', 'config.json');
};

/** Reads the stored configuration; empty before the first login. @throws UsageError if the file is not valid. */
export const readConfig = (path: string): StoredConfig => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as StoredConfig;
  } catch {
    throw new UsageError(`${path} is not valid JSON. Delete it and run \`postern login\` again.`);
  }
};

export const writeConfig = (path: string, config: StoredConfig): void => writePrivately(path, config);

/** Replaces a file atomically; only its owner can read it. */
export const writePrivately = (path: string, content: object): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(next, 0o600);
  renameSync(next, path);
};

export const deleteConfig = (path: string): void => rmSync(path, { force: true });
