import { type Fault, seconds } from './fault.js';

const TIMES = 10;

/** Clients send at ten times the usual rate. */
export const burst: Fault = {
  name: 'burst',
  canBeSecond: false,
  plan: random => {
    const holdMs = random.integer(4_000, 10_000);
    return {
      name: 'burst',
      detail: `${TIMES} times the rate for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ clients }) => {
        clients.burst = TIMES;
      },
      end: async ({ clients }) => {
        clients.burst = 1;
      },
    };
  },
};
