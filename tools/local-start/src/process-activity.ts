import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;

/**
 * The time in which the threads of a process have run or have waited for a processor, in milliseconds. It distinguishes a process
 * that is busy, or that a busy machine delays, from one that hangs. Undefined without `/proc`, or if the process has ended.
 */
export const activityMsOf = (pid: number): number | undefined => {
  try {
    const folder = `/proc/${pid}/task`;
    const times = readdirSync(folder).map(thread => activityOfThread(`${folder}/${thread}/schedstat`));
    return times.reduce((sum, time) => sum + time, 0) / NS_PER_MS;
  } catch {
    return undefined;
  }
};

/** `<time on a processor> <time in a queue> <time slices>`, in nanoseconds; a thread may end at any time. */
const activityOfThread = (file: string): number => {
  try {
    const [running = 0, waiting = 0] = readFileSync(file, 'utf8').split(' ').map(Number);
    return running + waiting;
  } catch {
    return 0;
  }
};
