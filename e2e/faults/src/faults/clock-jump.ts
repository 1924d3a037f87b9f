import { rmSync, writeFileSync } from 'node:fs';
import { clockFile, SERVICES } from '../system/starter-options.js';
import { type Fault, seconds } from './fault.js';

const JUMPS_S = [-3_600, -300, -20, 20, 300, 3_600];

/** The wall clock of one service jumps, and later jumps back, as time synchronization would set it. */
export const clockJump: Fault = {
  name: 'clock jump',
  canBeSecond: false,
  plan: random => {
    const target = random.pick(SERVICES);
    const jumpS = random.pick(JUMPS_S);
    const holdMs = random.integer(3_000, 12_000);
    return {
      name: 'clock jump',
      detail: `${target} by ${jumpS} s for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern, receiver }) => {
        receiver.clockToleranceMs = Math.max(receiver.clockToleranceMs, Math.abs(jumpS) * 1_000);
        writeFileSync(clockFile(postern.folder, target), String(jumpS * 1_000));
      },
      end: async ({ postern }) => rmSync(clockFile(postern.folder, target), { force: true }),
    };
  },
};
