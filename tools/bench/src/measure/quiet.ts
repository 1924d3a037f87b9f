import { setTimeout as after } from 'node:timers/promises';
import { cpuOf } from './process-usage.js';

const LOOK_EVERY_MS = 250;
/** Of one processor and for all of them together; timers and polls of an idle Postern come to about half of it. */
const QUIET_SHARE = 0.15;
const QUIET_LOOKS = 2;

/**
 * Waits until processes have done with what a round left them (projections, outbox), so that it burdens neither the
 * next round nor is forgotten in the CPU of this one.
 * @returns how long that took, in seconds; at most `limitS`.
 */
export const untilQuiet = async (pids: readonly number[], limitS = 60): Promise<number> => {
  const began = performance.now();
  let before = total(pids);
  let quiet = 0;
  while (quiet < QUIET_LOOKS && performance.now() - began < limitS * 1_000) {
    await after(LOOK_EVERY_MS);
    const now = total(pids);
    quiet = now - before < LOOK_EVERY_MS * QUIET_SHARE ? quiet + 1 : 0;
    before = now;
  }
  return Math.max(0, (performance.now() - began - QUIET_LOOKS * LOOK_EVERY_MS) / 1_000);
};

const total = (pids: readonly number[]): number =>
  Object.values(cpuOf(Object.fromEntries(pids.map(pid => [pid, pid])))).reduce((sum, ms) => sum + ms, 0);
