import { commandOf, signal } from '../system/process-table.js';
import { type Fault, FaultViolation } from './fault.js';

const ALL_END_WITHIN_MS = 30_000;
const CHECK_EVERY_MS = 250;

/** kill -9 of the local start; its child processes must end by themselves, and a new start must succeed. */
export const starterKilled: Fault = {
  name: 'kill starter',
  canBeSecond: false,
  plan: () => ({
    name: 'kill starter',
    detail: 'kill -9 of the local start, then a new start on the same home',
    holdMs: 0,
    begin: async ({ postern }) => {
      await postern.killStarter();
      const deadline = Date.now() + ALL_END_WITHIN_MS;
      while (postern.survivors().length > 0 && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, CHECK_EVERY_MS));
      const survivors = postern.survivors();
      const commands = survivors.map(commandOf);
      for (const pid of survivors) signal(pid, 'SIGKILL');
      while (postern.survivors().length > 0) await new Promise(resolve => setTimeout(resolve, CHECK_EVERY_MS));
      await postern.start();
      if (commands.length > 0) throw new FaultViolation(`survived the starter by 30 s: ${commands.join('; ')}`);
    },
  }),
};
