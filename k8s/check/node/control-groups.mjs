/** The control groups of a run: one below the root in each hierarchy, in which the kubelet creates the pod control groups. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { RUN_PREFIX } from './settings.mjs';

const ROOT = '/sys/fs/cgroup';
/** CPU shares (default 1,024). The group competes with single processes, so a run gets as much CPU as a dozen niced processes. */
const SHARES_OF_A_NICE_RUN = '192';

const hierarchies = () =>
  existsSync(join(ROOT, 'cgroup.controllers')) ? [ROOT] : readdirSync(ROOT).map(name => join(ROOT, name));

const copyDown = (hierarchy, group, file) => {
  if (existsSync(join(group, file))) writeFileSync(join(group, file), readFileSync(join(hierarchy, file)));
};

export const makeControlGroups = name => {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    // In cgroup v1 these are initially empty, and no process can join the group until they are set.
    if (hierarchy.endsWith('/cpuset'))
      for (const file of ['cpuset.cpus', 'cpuset.mems']) copyDown(hierarchy, group, file);
    const shares = join(group, 'cpu.shares');
    if (existsSync(shares) && getPriority() > 0) writeFileSync(shares, SHARES_OF_A_NICE_RUN);
  }
};

const removeTree = folder => {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
};

/** Removes the control groups of a run, or of all runs without processes. @returns the groups that are still in use. */
export const removeControlGroups = (prefix = RUN_PREFIX) => {
  const busy = [];
  for (const hierarchy of hierarchies())
    for (const name of readdirSync(hierarchy).filter(entry => entry.startsWith(prefix)))
      try {
        removeTree(join(hierarchy, name));
      } catch (error) {
        if (error.code !== 'ENOENT') busy.push(join(hierarchy, name));
      }
  return busy;
};
