import { type Fault, seconds } from './fault.js';

/** The disk is full for every process of Postern, including the database and the broker. */
export const fullDisk: Fault = {
  name: 'full disk',
  canBeSecond: false,
  unavailable: ({ disk }) => disk.unavailable,
  plan: random => {
    const holdMs = random.integer(4_000, 15_000);
    return {
      name: 'full disk',
      detail: `for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ disk }) => disk.fill(),
      end: async ({ disk }) => disk.free(),
    };
  },
};
