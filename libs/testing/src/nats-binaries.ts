import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isPatchedNats, isSupportedNats } from '@postern/contracts/nats-release';

const run = promisify(execFile);

/** A release line, with the security fixes if it still gets them; or any patched or supported release. */
export type NatsLine = '2.9' | '2.12' | 'patched' | 'supported';

/** Which NATS server to find, and where to report progress. */
export interface FindNatsOptions {
  /** A release line; by default a patched server, or, if none can be had, any from 2.9. */
  version?: NatsLine;
  onProgress?: (message: string) => void;
}

/** The program of a NATS server and its release, such as `2.9.10`. */
export interface NatsBinary {
  path: string;
  version: string;
}

/** Finds an installed server: `POSTERN_NATS_SERVER`, the PATH, the usual folders. */
export async function installedNatsServer(wanted: NatsLine): Promise<NatsBinary | undefined> {
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

/** Whether a release belongs to the wanted line. */
export function satisfies(version: string, wanted: NatsLine): boolean {
  if (wanted === 'supported') return isSupportedNats(version);
  if (wanted === '2.9') return version.startsWith('2.9.');
  return isPatchedNats(version) && (wanted === 'patched' || version.startsWith(`${wanted}.`));
}
