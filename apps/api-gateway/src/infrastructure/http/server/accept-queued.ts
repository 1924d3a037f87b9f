import type { Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

const MAX_TURNS = 1_000;

/**
 * Accepts the connections that wait in the kernel, which resets them when a socket closes. A turn of the event loop accepts one;
 * the first turn may begin after its poll.
 */
export const acceptQueued = async (server: Server): Promise<void> => {
  let turnsWithout = 0;
  const onConnection = () => {
    turnsWithout = 0;
  };
  server.on('connection', onConnection);
  for (let turns = 0; turnsWithout < 2 && turns < MAX_TURNS; turns += 1) {
    turnsWithout += 1;
    await turn();
  }
  server.off('connection', onConnection);
};
