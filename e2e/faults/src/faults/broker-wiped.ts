import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { signal } from '../system/process-table.js';
import type { Fault } from './fault.js';

/** NATS is killed and restarts with an empty storage. */
export const brokerWiped: Fault = {
  name: 'wipe broker',
  canBeSecond: false,
  plan: () => ({
    name: 'wipe broker',
    detail: 'kill -9 of NATS, storage deleted',
    holdMs: 0,
    begin: async ({ postern, disk }) => {
      const pid = await postern.pidOf('nats');
      const storage = join(disk.folder, 'nats');
      // Paused first, so that it does not restart before its storage is deleted.
      signal(pid, 'SIGSTOP');
      for (const entry of readdirSync(storage)) rmSync(join(storage, entry), { recursive: true, force: true });
      signal(pid, 'SIGKILL');
    },
  }),
};
