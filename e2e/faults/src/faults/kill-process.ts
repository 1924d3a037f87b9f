import { signal } from '../system/process-table.js';
import type { ProcessName } from '../system/starter-options.js';
import type { Fault } from './fault.js';

/** kill -9 of one process; for PostgreSQL, of the postmaster. */
export const killProcess = (target: ProcessName): Fault => ({
  name: `kill ${target}`,
  canBeSecond: true,
  plan: () => ({
    name: `kill ${target}`,
    detail: 'kill -9',
    holdMs: 0,
    begin: async ({ postern }) => {
      for (const pid of await postern.pidsOf(target)) signal(pid, 'SIGKILL');
    },
  }),
});
