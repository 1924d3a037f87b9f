import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The ports of a TCP connection, seen from one of its processes. */
export interface Flow {
  readonly local: number;
  readonly remote: number;
}

const ESTABLISHED = '01';

const socketsOf = (pid: number): ReadonlySet<string> =>
  new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(handle => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${handle}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );

const portIn = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16);

/** The established connections of a process to a port, from /proc/<pid>/net/tcp. */
export const flowsOf = (pid: number, port: number): readonly Flow[] => {
  const sockets = socketsOf(pid);
  return ['tcp', 'tcp6']
    .flatMap(table => readFileSync(`/proc/${pid}/net/${table}`, 'latin1').split('\n').slice(1))
    .map(line => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === ESTABLISHED && sockets.has(inode))
    .map(([, local, remote]) => ({ local: portIn(local), remote: portIn(remote) }))
    .filter(({ remote }) => remote === port);
};
