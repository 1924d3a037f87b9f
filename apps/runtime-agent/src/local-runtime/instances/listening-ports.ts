import { readdir, readFile, readlink } from 'node:fs/promises';
import type { ProcessEntry } from './process-table.js';
import { Turns } from './turns.js';

/** A TCP port that a process listens on. */
export interface ListeningPort {
  readonly address: string;
  readonly port: number;
}

const LISTEN = '0A';

/** Limits concurrent reads: an instance may have many processes with many open files. */
const turns = new Turns(8);

/** The ports that these processes listen on; empty if there are none, or if the processes cannot be inspected. */
export const listeningPorts = async (pids: readonly number[]): Promise<readonly ListeningPort[]> => {
  const sockets = new Set((await Promise.all(pids.map(pid => turns.take(() => socketsOf(pid))))).flat());
  const pid = pids[0];
  if (sockets.size === 0 || pid === undefined) return [];
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map(name => readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '')),
  );
  return tables.flatMap(table =>
    table
      .split('\n')
      .slice(1)
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[3] === LISTEN && sockets.has(fields[9] ?? ''))
      .map(fields => {
        const [address = '', port = ''] = (fields[1] ?? '').split(':');
        return { address, port: Number.parseInt(port, 16) };
      }),
  );
};

/** Returns the processes that listen on the port. */
export const listening = async (processes: readonly ProcessEntry[], port: number): Promise<readonly ProcessEntry[]> => {
  const ports = await Promise.all(processes.map(({ pid }) => listeningPorts([pid])));
  return processes.filter((_, index) => ports[index]!.some(own => own.port === port));
};

const socketsOf = async (pid: number): Promise<readonly string[]> => {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  return targets.flatMap(target => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
};
