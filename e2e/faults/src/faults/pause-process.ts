import { signal } from '../system/process-table.js';
import type { ProcessName } from '../system/starter-options.js';
import { type Fault, seconds } from './fault.js';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;

/** SIGSTOP of one process for 1 to 30 seconds; short pauses are more frequent. */
export const pauseProcess = (target: ProcessName): Fault => ({
  name: `pause ${target}`,
  canBeSecond: true,
  plan: random => {
    const holdMs = Math.round(SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * random.next() ** 2);
    let paused: readonly number[] = [];
    return {
      name: `pause ${target}`,
      detail: `SIGSTOP for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern }) => {
        paused = await postern.pidsOf(target);
        for (const pid of paused) signal(pid, 'SIGSTOP');
      },
      end: async () => {
        for (const pid of paused) signal(pid, 'SIGCONT');
      },
    };
  },
});
