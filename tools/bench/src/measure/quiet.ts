import { setTimeout as after } from 'node:timers/promises';
import { cpuOf } from './process-usage.js';

const POLL_MS = 250;
/** CPU share of one core that counts as idle; timers and polling of an idle Postern use about half of it. */
const QUIET_SHARE = 0.15;
const QUIET_LOOKS = 2;

/**
 * Waits until processes have completed the remaining work of a round (projections, events), so that its CPU counts for
 * this round and not for the next one. @returns the elapsed seconds, at most `limitS`. `installations` is how often each service runs.
 */
export const untilIdle = async (pids: readonly number[], limitS = 60, installations = 1): Promise<number> => {
  const startedAt = performance.now();
  let before = total(pids);
  let quiet = 0;
  while (quiet < QUIET_LOOKS && performance.now() - startedAt < limitS * 1_000) {
    await after(POLL_MS);
    const now = total(pids);
    quiet = now - before < POLL_MS * QUIET_SHARE * installations ? quiet + 1 : 0;
    before = now;
  }
  return Math.max(0, (performance.now() - startedAt - QUIET_LOOKS * POLL_MS) / 1_000);
};

const total = (pids: readonly number[]): number =>
  Object.values(cpuOf(Object.fromEntries(pids.map(pid => [pid, pid])))).reduce((sum, ms) => sum + ms, 0);
