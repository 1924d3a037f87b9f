import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Which NATS server to find, and where to report progress. */
export interface FindNatsOptions {
  /** A release line; any server from 2.9 by default. */
  version?: '2.9' | '2.12';
  onProgress?: (message: string) => void;
}

/** The program of a NATS server and its release, such as `2.9.10`. */
export interface NatsBinary {
  path: string;
  version: string;
}

/** Finds an installed server: `POSTERN_NATS_SERVER`, the PATH, the usual folders. */
export async function installedNatsServer(wanted?: string): Promise<NatsBinary | undefined> {
  const named = process.env['POSTERN_NATS_SERVER'];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  folders.push('/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin', '/usr/bin');
  const candidates = [...(named ? [named] : []), ...new Set(folders.map(folder => join(folder, 'nats-server')))];
  for (const path of candidates) {
    const found = await inspect(path);
    if (found && satisfies(found.version, wanted)) return found;
  }
  return undefined;
}

/** Returns the release of a program; undefined if it is not a NATS server. */
export async function inspect(path: string): Promise<NatsBinary | undefined> {
  if (!existsSync(path)) return undefined;
  const output = await run(path, ['--version']).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const version = /v(\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
  return version ? { path, version } : undefined;
}

/** Whether a release belongs to the requested line or, without one, is recent enough. */
export function satisfies(version: string, wanted?: string): boolean {
  if (wanted) return version.startsWith(`${wanted}.`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 9);
}
