import type { Postern } from '../system/postern.js';
import { childrenOf, commandOf, signal } from '../system/process-table.js';
import { type Fault, seconds } from './fault.js';

/** The backend process of one session of a service, chosen by `chance` (0 ≤ chance < 1). */
const sessionOf = async (postern: Postern, chance: number): Promise<number | undefined> => {
  const postmasters = await postern.pidsOf('postgres');
  const sessions = postmasters.flatMap(childrenOf).filter(pid => commandOf(pid).includes('postgres postern_'));
  return sessions[Math.floor(chance * sessions.length)];
};

/** kill -9 of one backend; PostgreSQL then terminates all other backends and runs crash recovery. */
export const killDatabaseSession: Fault = {
  name: 'kill database session',
  canBeSecond: true,
  plan: random => {
    const chance = random.next();
    return {
      name: 'kill database session',
      detail: 'kill -9 of one backend',
      holdMs: 0,
      begin: async ({ postern }) => signal(await sessionOf(postern, chance), 'SIGKILL'),
    };
  },
};

/** SIGSTOP of one backend, while it may hold locks. */
export const pauseDatabaseSession: Fault = {
  name: 'pause database session',
  canBeSecond: true,
  plan: random => {
    const chance = random.next();
    const holdMs = random.integer(1_000, 12_000);
    let pid: number | undefined;
    return {
      name: 'pause database session',
      detail: `SIGSTOP of one backend for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern }) => {
        pid = await sessionOf(postern, chance);
        signal(pid, 'SIGSTOP');
      },
      end: async () => signal(pid, 'SIGCONT'),
    };
  },
};
