import type { DiskName } from '../system/disks.js';
import { doctor } from '../system/doctor.js';
import { type Fault, FaultViolation, seconds } from './fault.js';

const LEAST_HOLD_MS = 4_000;

/** The disk is full for the database, the broker, or every process; `doctor` names it meanwhile. */
export const fullDisk = (target: DiskName): Fault => {
  const name = target === 'everything' ? 'full disk' : `full disk of ${target}`;
  return {
    name,
    canBeSecond: false,
    unavailable: ({ disk, postern }) =>
      disk.unavailable ??
      (target === 'PostgreSQL' && !postern.hasClusters
        ? 'PostgreSQL has a disk of its own with --clusters'
        : undefined),
    plan: random => {
      const holdMs = random.integer(LEAST_HOLD_MS, 15_000);
      return {
        name,
        detail: `for ${seconds(holdMs)}`,
        holdMs: holdMs - LEAST_HOLD_MS,
        begin: async ({ disk, postern }) => {
          disk.fill(target);
          const began = performance.now();
          const printed = postern.started && (await doctor(postern.started));
          await new Promise(resolve => setTimeout(resolve, Math.max(0, LEAST_HOLD_MS - (performance.now() - began))));
          if (printed === undefined) return;
          const unnamed = disk.foundFull(target).find(folder => !printed.includes(`✗ disk: at ${folder}: 0 % free`));
          if (unnamed)
            throw new FaultViolation(`doctor did not name the full disk at ${unnamed}: ${printed.split('\n\n')[0]}`);
        },
        end: async ({ disk }) => disk.free(target),
      };
    },
  };
};
