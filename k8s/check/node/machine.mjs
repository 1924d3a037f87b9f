/** Resources that a run could leave behind on the machine, as comparable lists. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const CONTROL_GROUPS = '/sys/fs/cgroup';
const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
/** Kernel settings that change by themselves. */
const VOLATILE =
  /\/(?:random|pty|ns_last_pid|[a-z]+-state|[a-z]+-nr|nf_conntrack_count|cad_pid|.*user_pages.*|cdrom|quota)(?:\/|$)/;

const attempt = (work, otherwise) => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};

const foldersIn = folder =>
  attempt(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter(entry => entry.isDirectory())
    .flatMap(({ name }) => [join(folder, name), ...foldersIn(join(folder, name))]);

const settingsIn = folder =>
  attempt(() => readdirSync(folder, { withFileTypes: true }), []).flatMap(entry => {
    const path = join(folder, entry.name);
    if (VOLATILE.test(path)) return [];
    if (entry.isDirectory()) return settingsIn(path);
    return attempt(() => [`${path} = ${readFileSync(path, 'utf8').trim()}`], []);
  });

const processes = () =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid =>
      attempt(() => {
        const read = file => readFileSync(`/proc/${pid}/${file}`, 'utf8');
        const [, rest = ''] = /\) (.*)$/s.exec(read('stat')) ?? [];
        const command = read('cmdline').replaceAll('\0', ' ').trim();
        const namespaces = NAMESPACES.flatMap(kind => attempt(() => [readlinkSync(`/proc/${pid}/ns/${kind}`)], []));
        // Includes the start time, because PIDs are reused.
        const started = Number(rest.split(' ')[19]);
        return [{ id: `${pid}@${started}`, started, command, namespaces, groups: read('cgroup') }];
      }, []),
    );

/** The time since the start of the machine, in the unit of the start times of processes. */
export const machineTicks = () => Math.ceil(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 100);

/**
 * @param until excludes namespaces that have only later processes, because the kernel reuses namespace numbers.
 * @returns lists of lines, one list per kind of resource.
 */
export const machineState = (until = Number.POSITIVE_INFINITY) => {
  const found = processes();
  const earlier = found.filter(({ started }) => started <= until);
  return {
    processes: found.filter(({ command }) => command !== '').map(({ id, command }) => `${id} ${command}`),
    namespaces: [...new Set(earlier.flatMap(({ namespaces }) => namespaces))],
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(' ').slice(2).join(' ')),
    'control groups': foldersIn(CONTROL_GROUPS),
    'network interfaces': readdirSync('/sys/class/net'),
    'network namespaces with a name': attempt(
      () => execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).split('\n'),
      [],
    ).filter(line => line !== ''),
    'kernel settings': ['kernel', 'vm', 'net', 'fs', 'user'].flatMap(name => settingsIn(`/proc/sys/${name}`)),
  };
};

/** @returns {{ kind: string, added: string[], removed: string[] }[]} the kinds that differ. */
export const changesBetween = (before, after) =>
  Object.keys(before)
    .map(kind => {
      const [earlier, later] = [new Set(before[kind]), new Set(after[kind])];
      return {
        kind,
        added: after[kind].filter(line => !earlier.has(line)),
        removed: before[kind].filter(line => !later.has(line)),
      };
    })
    .filter(({ added, removed }) => added.length + removed.length > 0);

/** Kinds that only the check changes; other work on the machine starts and ends processes. */
const OURS_ALONE = ['mounts', 'network interfaces', 'network namespaces with a name', 'kernel settings'];

/** The changes that a run must not leave, given the marks of everything that belongs to it. */
export const leftovers = (changes, marks) =>
  changes.flatMap(({ kind, added, removed }) => {
    if (OURS_ALONE.includes(kind))
      return [...added.map(line => `${kind}: + ${line}`), ...removed.map(line => `${kind}: - ${line}`)];
    return added.filter(line => marks.some(mark => line.includes(mark))).map(line => `${kind}: + ${line}`);
  });
