/** Removes leftovers of runs whose cleanup was killed. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeControlGroups } from './control-groups.mjs';
import { NODE_CACHE, RUN_PREFIX } from './settings.mjs';

/** The name of a run's folder contains the PID of its process. */
const isOver = name => {
  const [, pid] = new RegExp(`^${RUN_PREFIX}(\\d+)-`).exec(name) ?? [];
  return pid !== undefined && !existsSync(`/proc/${pid}`);
};

export const removeLeftovers = () => {
  removeControlGroups();
  for (const name of readdirSync(NODE_CACHE).filter(isOver))
    rmSync(join(NODE_CACHE, name), { recursive: true, force: true });
};
