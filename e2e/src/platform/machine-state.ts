import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type MarkedProcess, processesWith } from './processes.js';

/** The resources of one Postern on the machine, in comparable form. */
export interface MachineState {
  /** Folders and files in the platform's home. */
  readonly paths: readonly string[];
  readonly processes: readonly string[];
  /** Ports on which its processes accept connections. */
  readonly ports: readonly number[];
  readonly controlGroups: readonly string[];
}

const LISTENING = '0A';
const CGROUPS = '/sys/fs/cgroup';

/** The present resources of the Postern with this home and of web services with this mark. */
export const machineState = (home: string, mark: string): MachineState => {
  const processes = [...processesWith(home), ...processesWith(mark)].filter(isStable);
  const pids = [...new Set(processes.map(({ pid }) => pid))];
  return {
    paths: pathsBelow(join(home, 'platform')),
    processes: [...new Set(processes.map(({ pid, command }) => `${pid} ${command}`))].sort(),
    ports: portsOf(pids),
    controlGroups: controlGroups(),
  };
};

/** Connections of the services to PostgreSQL vary. */
const isStable = ({ command }: MarkedProcess): boolean => !command.startsWith('postgres: ');

/** Does not follow symbolic links, which lead out of the folder. */
export const pathsBelow = (folder: string, prefix = ''): readonly string[] =>
  entriesOf(folder)
    .flatMap(entry => {
      const path = prefix + entry.name;
      return entry.isDirectory() ? [path, ...pathsBelow(join(folder, entry.name), `${path}/`)] : [path];
    })
    .sort();

/** Groups of all Postern installations on the machine, each by its path below the controller's hierarchy. */
const controlGroups = (folder = CGROUPS, isOfPostern = false): readonly string[] =>
  entriesOf(folder)
    .filter(entry => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      return [
        ...(isOfPostern ? [path.slice(CGROUPS.length)] : []),
        ...controlGroups(path, isOfPostern || /^postern(-databases)?$/.test(name)),
      ];
    })
    .sort();

/** The names of a process's control groups. */
export const controlGroupNamesOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/cgroup`, 'latin1')
    .split('\n')
    .flatMap(line => /\/postern\/(.+)$/.exec(line)?.[1] ?? []);

/** The ports on which these processes listen (proc_pid_net(5)). */
const portsOf = (pids: readonly number[]): readonly number[] => {
  const listening = new Map<string, number>();
  for (const table of ['tcp', 'tcp6'])
    for (const line of readFileSync(`/proc/net/${table}`, 'latin1').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTENING) listening.set(`socket:[${inode}]`, Number.parseInt(local.split(':')[1] ?? '', 16));
    }
  const held = pids.flatMap(pid => entriesOf(`/proc/${pid}/fd`).map(({ name }) => linkOf(`/proc/${pid}/fd/${name}`)));
  return [...new Set(held.flatMap(link => listening.get(link) ?? []))].sort((one, other) => one - other);
};

/** Empty if the folder was removed in the meantime. */
const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};
