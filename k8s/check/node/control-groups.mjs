/** The control groups of a run: one below the root in each hierarchy, in which the kubelet makes those of pods. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { RUN_PREFIX } from './settings.mjs';

const ROOT = '/sys/fs/cgroup';
/** Of 1,024: a group is scheduled against single processes, so a nice run gets as much as a dozen nice ones. */
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
    // Version 1 leaves these empty, and no process can enter then.
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

/** Removes the groups of a run, or of every run that has no process any more. @returns those that are still in use. */
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
