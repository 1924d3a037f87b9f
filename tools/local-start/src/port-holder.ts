import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

interface Listener {
  readonly uid: string;
  readonly inode: string;
}

/**
 * Describes the process that listens on a local TCP port, such as `process 4711 (node server.js) of user 20077`. Undefined if
 * none does, or without `/proc`.
 */
export const holderOfPort = (port: number): string | undefined => {
  const [listener] = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(table => listenersIn(table, port));
  if (!listener) return undefined;
  const pid = processWith(`socket:[${listener.inode}]`);
  return `${pid ? `process ${pid} (${commandOf(pid)})` : 'a process'} of user ${listener.uid}`;
};

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const listenersIn = (table: string, port: number): readonly Listener[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return (attempt(() => readFileSync(table, 'utf8')) ?? '').split('\n').flatMap(line => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    return state === LISTEN && local.endsWith(suffix) ? [{ uid, inode }] : [];
  });
};

const processWith = (socket: string): string | undefined =>
  (attempt(() => readdirSync('/proc')) ?? [])
    .filter(name => /^\d+$/.test(name))
    .find(pid =>
      (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some(
        file => attempt(() => readlinkSync(`/proc/${pid}/fd/${file}`)) === socket,
      ),
    );

/** The arguments may contain anything, and are printed. */
const commandOf = (pid: string): string =>
  (attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '')
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim()
    .slice(0, 80);
