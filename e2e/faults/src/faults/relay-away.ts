import { type Fault, seconds } from './fault.js';

/** The relay refuses connections and closes the open ones. */
export const relayAway: Fault = {
  name: 'relay away',
  canBeSecond: true,
  plan: random => {
    const holdMs = random.integer(3_000, 15_000);
    return {
      name: 'relay away',
      detail: `no relay for ${seconds(holdMs)}`,
      holdMs,
      begin: ({ relay }) => relay.down(),
      end: ({ relay }) => relay.open(),
    };
  },
};
