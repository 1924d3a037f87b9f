import { existsSync } from 'node:fs';
import { isAlive, limitHandles, openHandlesOf } from '../system/process-table.js';
import { SERVICES } from '../system/starter-options.js';
import { type Fault, seconds } from './fault.js';

/** Lowers the limit of open files of a running service to just above its present use. */
export const noFileHandles: Fault = {
  name: 'no file handles',
  canBeSecond: false,
  unavailable: () => (existsSync('/usr/bin/prlimit') ? undefined : 'prlimit is not installed'),
  plan: random => {
    const target = random.pick([...SERVICES, 'nats'] as const);
    const spare = random.integer(0, 3);
    const holdMs = random.integer(4_000, 12_000);
    let pid: number | undefined;
    let before = '';
    return {
      name: 'no file handles',
      detail: `${target} may open ${spare} more for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern }) => {
        pid = await postern.pidOf(target);
        if (pid !== undefined) before = limitHandles(pid, String(openHandlesOf(pid) + spare));
      },
      end: async () => {
        if (pid !== undefined && isAlive(pid)) limitHandles(pid, before);
      },
    };
  },
};
