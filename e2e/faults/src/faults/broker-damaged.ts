import { join } from 'node:path';
import { type Damage, damageFiles } from '@postern/testing';
import { signal } from '../system/process-table.js';
import { type Fault, seconds } from './fault.js';

/** Three bytes in every file of NATS are wrong, or every file lost its end; NATS notices at its restart at the latest. */
export const brokerDamaged = (damage: Damage, state: 'stopped' | 'running'): Fault => {
  const name = `damage broker, ${damage}, ${state}`;
  return {
    name,
    canBeSecond: false,
    plan: random => {
      const holdMs = state === 'running' ? random.integer(2_000, 8_000) : 0;
      return {
        name,
        detail: `${damage} in every file, kill -9 after ${seconds(holdMs)}`,
        holdMs,
        begin: async ({ postern, disk }) => {
          const pid = await postern.pidOf('nats');
          // Paused first, so that it does not restart before its storage is damaged.
          if (state === 'stopped') signal(pid, 'SIGSTOP');
          damageFiles(join(disk.folder, 'nats'), damage);
          if (state === 'stopped') signal(pid, 'SIGKILL');
        },
        end: async ({ postern }) => {
          if (state === 'running') signal(await postern.pidOf('nats'), 'SIGKILL');
        },
      };
    },
  };
};
