import { setTimeout as delay } from 'node:timers/promises';
import type { ConfinedPlace, Confinement } from './confinement.js';
import type { MarkedProcesses } from './marked-processes.js';

const KILL_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 10_000;

/** Holds instances together by their mark alone: what an ordinary user without cgroups has. */
export class MarkedConfinement implements Confinement {
  constructor(private readonly processes: MarkedProcesses) {}

  prepare(id: string): Promise<ConfinedPlace> {
    return this.find(id);
  }

  async find(id: string): Promise<ConfinedPlace> {
    const pids = async () => ((await this.processes.scan()).get(id) ?? []).map(({ pid }) => pid);
    return {
      owner: undefined,
      enclose: argv => argv,
      pids,
      ranOutOfMemory: async () => false,
      clear: () => killAll(pids),
    };
  }
}

/** One that forks while it is killed is found in the next round. */
const killAll = async (pids: () => Promise<readonly number[]>): Promise<void> => {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let alive = await pids(); alive.length > 0; alive = await pids()) {
    for (const pid of alive) kill(pid);
    if (performance.now() > deadline) throw new Error(`processes ${alive.join(', ')} do not end`);
    await delay(KILL_EVERY_MS);
  }
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
