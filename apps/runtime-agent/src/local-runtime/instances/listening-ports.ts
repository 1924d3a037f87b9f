import { readdir, readFile, readlink } from 'node:fs/promises';
import pLimit from 'p-limit';

/** A TCP socket that a process listens on. */
export interface ListeningSocket {
  readonly pid: number;
  readonly port: number;
  /** The descriptor of the process for the socket, in /proc. */
  readonly path: string;
  /** Where `path` links to. Identifies the socket. */
  readonly target: string;
}

type OpenSocket = Omit<ListeningSocket, 'port'>;

const LISTEN = '0A';

/** Limits concurrent reads: an instance may have many processes with many open files. */
const readLimit = pLimit(8);

/** The sockets that these processes listen on; empty if there are none, or if the processes cannot be inspected. */
export const listeningSockets = async (pids: readonly number[]): Promise<readonly ListeningSocket[]> => {
  const sockets = (await Promise.all(pids.map(pid => readLimit(() => socketsOf(pid))))).flat();
  const pid = pids[0];
  if (sockets.length === 0 || pid === undefined) return [];
  const ports = await portsByTarget(pid);
  return sockets.flatMap(socket => {
    const port = ports.get(socket.target);
    return port === undefined ? [] : { ...socket, port };
  });
};

/** Whether the process still has the socket; cheaper than a new scan for its sockets. */
export const isOpen = async ({ path, target }: ListeningSocket): Promise<boolean> =>
  (await readlink(path).catch(() => '')) === target;

/**
 * The ports with listening sockets in the network of the process. The kernel goes through its table of all connections
 * for it, which takes milliseconds even when the table is empty.
 */
const portsByTarget = async (pid: number): Promise<ReadonlyMap<string, number>> => {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map(name => readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '')),
  );
  return new Map(
    tables
      .flatMap(table => table.split('\n').slice(1))
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[3] === LISTEN)
      .map(fields => [`socket:[${fields[9]}]`, Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)]),
  );
};

const socketsOf = async (pid: number): Promise<readonly OpenSocket[]> => {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const paths = descriptors.map(descriptor => `/proc/${pid}/fd/${descriptor}`);
  const targets = await Promise.all(paths.map(path => readlink(path).catch(() => '')));
  return paths
    .map((path, index) => ({ pid, path, target: targets[index]! }))
    .filter(({ target }) => target.startsWith('socket:'));
};
